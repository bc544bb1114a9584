// The hub's settings: what is read, what is refused and with which words.
#include "hub/config/config.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.hpp"

namespace gadget::hub {
namespace {

std::string line_of(const Result<void>& result) {
  return result ? "no failure" : to_line(result.error());
}
bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}
std::string set_line(std::string_view key, std::string_view value) {
  Config config;
  return line_of(set(config, key, value));
}
std::string toml_line(std::string_view text) {
  Config config;
  return line_of(read_toml(config, text, "hub.toml"));
}

TEST(Config, EveryKindOfValueIsRead) {
  Config config;
  ASSERT_TRUE(read_toml(config,
                        "config_version = 1\nport = 0\nspeak_replies = false\n"
                        "hosts = [\"a.lan\", \"b.lan:1\"]\nagent = 'echo'\n"
                        "[speech]\nprofile = \"minimal\"\n",
                        "hub.toml"));
  EXPECT_EQ(config.port, 0);
  EXPECT_FALSE(config.speak_replies);
  EXPECT_EQ(config.hosts, (std::vector<std::string>{"a.lan", "b.lan:1"}));
  EXPECT_EQ(config.agent, "echo");
  EXPECT_EQ(config.speech_profile, "minimal");
  ASSERT_TRUE(set(config, "heartbeat_s", "5"));
  ASSERT_TRUE(set(config, "speech.profile", "small"));
  ASSERT_TRUE(set(config, "origins", "https://a.example, file://"));
  ASSERT_TRUE(set(config, "speak_replies", "true"));
  EXPECT_EQ(config.heartbeat_s, 5);
  EXPECT_EQ(config.speech_profile, "small");
  EXPECT_EQ(config.origins, (std::vector<std::string>{"https://a.example", "file://"}));
  EXPECT_TRUE(config.speak_replies);
}

TEST(Config, AnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(set_line("heartbeat", "20"),
            "there is no setting \"heartbeat\" (did you mean heartbeat_s?)");
  EXPECT_TRUE(contains(set_line("max_uterance_s", "20"), "did you mean max_utterance_s?"));
  EXPECT_TRUE(contains(set_line("xyzzy", "20"), "see: hermes-gadget config"));
  EXPECT_EQ(toml_line("port = 1\nhots = \"x\"\n"),
            "hub.toml:2: there is no setting \"hots\" (did you mean hosts?)");
}

TEST(Config, B21_AHeartbeatThatProxiesCutIsRefused) {
  EXPECT_EQ(set_line("heartbeat_s", "60"), "heartbeat_s cannot be 60 (it is 5 to 55)");
  EXPECT_TRUE(contains(set_line("heartbeat_s", "4"), "5 to 55"));
  EXPECT_EQ(set_line("heartbeat_s", "55"), "no failure");
  EXPECT_TRUE(contains(set_line("heartbeat_s", "20s"), "a whole number"));
  EXPECT_TRUE(contains(set_line("heartbeat_s", ""), "a whole number"));
  EXPECT_TRUE(contains(set_line("heartbeat_s", "99999999999999999999"), "a whole number"));
}

TEST(Config, AValueOfAnotherKindIsRefused) {
  EXPECT_TRUE(contains(toml_line("port = \"8765\""), "port is not a text"));
  EXPECT_TRUE(contains(toml_line("host = 1"), "host is not a number"));
  EXPECT_TRUE(contains(toml_line("host = true"), "host is not true or false"));
  EXPECT_TRUE(contains(toml_line("hosts = [1]"), "list of texts"));
  // What can never match is a mistake: the list as TOML on a command line, a network, a wildcard.
  EXPECT_EQ(set_line("proxies", "[\"127.0.0.1\"]"),
            "proxies cannot hold \"[\"127.0.0.1\"]\" (each is a numeric address, such as "
            "192.168.1.2)");
  EXPECT_TRUE(contains(set_line("proxies", "10.0.0.0/8"), "numeric address"));
  EXPECT_EQ(set_line("proxies", "127.0.0.1, ::1"), "no failure");
  EXPECT_TRUE(contains(set_line("hosts", "*.lan"), "a name, with a port or without"));
  EXPECT_TRUE(contains(set_line("hosts", "http://gadget.lan"), "a name"));
  EXPECT_EQ(set_line("hosts", "[::1]:8765, gadget.lan, 10.0.0.2:80"), "no failure");
  EXPECT_TRUE(contains(toml_line("origins = ['panel.example']"), "a scheme and a name"));
  EXPECT_TRUE(contains(set_line("origins", "https://panel.example/page"), "a scheme and a name"));
  EXPECT_TRUE(contains(set_line("origins", "https://*.example"), "a scheme and a name"));
  EXPECT_TRUE(contains(toml_line("port = [\"1\"]"), "another kind"));
  EXPECT_TRUE(contains(set_line("agent", "openclaw"), "it is one of: builtin, echo"));
  EXPECT_TRUE(contains(set_line("speak_replies", "yes"), "true or false"));
}

TEST(Config, ATomlErrorSaysItsLine) {
  EXPECT_TRUE(contains(toml_line("port = 1\nhost = unquoted\n"), "hub.toml:2: "));
}

TEST(Config, LoopsAreAlsoWrittenWithADot) {
  Config config;
  EXPECT_EQ(config.hub_loops, 1);
  ASSERT_TRUE(read_toml(config, "hub.loops = 4\n", "hub.toml"));
  EXPECT_EQ(config.hub_loops, 4);
  ASSERT_TRUE(set(config, "hub.loops", "64"));
  EXPECT_EQ(config.hub_loops, 64);
  for (const char* const wrong : {"0", "65", "-1"}) {
    EXPECT_TRUE(contains(set_line("hub_loops", wrong), "1 to 64")) << wrong;
  }
  EXPECT_FALSE(taken_by_reload("hub_loops"));
}

TEST(Config, ANewerFileIsRefused) {
  Config config;
  const auto read = read_toml(config, "config_version = 2\nnew_key = 1\n", "hub.toml");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, FailureCode::refused);
  EXPECT_TRUE(contains(read.error().text, "config_version 2"));
  EXPECT_TRUE(contains(toml_line("config_version = \"1\""), "whole number"));
}

TEST(Config, SettingsMustFitTogether) {
  const auto load = [](std::vector<Setting> direct) {
    const auto loaded = load_config({"/dev/null", {}, std::move(direct)});
    return loaded ? std::string("no failure") : to_line(loaded.error());
  };
  EXPECT_EQ(load({}), "no failure");
  EXPECT_TRUE(contains(load({{"tls_cert", "a.pem"}}), "but not tls_key"));
  EXPECT_TRUE(contains(load({{"tls_key", "a.pem"}}), "but not tls_cert"));
  EXPECT_TRUE(contains(load({{"path", "gadget"}}), "begins with a slash"));
  EXPECT_TRUE(contains(load({{"path", "/g?x"}}), "no query"));
  EXPECT_TRUE(contains(load({{"path", std::string("/g\0", 3)}}), "path cannot be"));
  EXPECT_TRUE(contains(load({{"path", "/g\n"}}), "path cannot be"));
  EXPECT_TRUE(contains(load({{"host", ""}}), "host is empty"));
}

TEST(Config, H7_ATokenIsNeverShownAndOneOnACommandLineIsNoticed) {
  const auto visible = load_config({"/dev/null", {{"access_token", "s3cret"}}, {}});
  ASSERT_TRUE(visible);
  EXPECT_TRUE(visible->token_is_visible);
  ASSERT_EQ(::setenv("GADGET_ACCESS_TOKEN", "s3cret", 1), 0);
  const auto from_environment = load_config({"/dev/null", {}, {}});
  ::unsetenv("GADGET_ACCESS_TOKEN");
  ASSERT_TRUE(from_environment);
  EXPECT_EQ(from_environment->access_token, "s3cret");
  EXPECT_FALSE(from_environment->token_is_visible);
  EXPECT_FALSE(contains(to_toml(*from_environment), "s3cret"));
  EXPECT_FALSE(contains(to_json(*from_environment), "s3cret"));
}

TEST(Config, AFileThatWasNamedMustBeThere) {
  const auto loaded = load_config({"/nowhere/hub.toml", {}, {}});
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(contains(loaded.error().text, "/nowhere/hub.toml"));
  EXPECT_FALSE(load_config({"/tmp", {}, {}}));  // a folder is no file
}

TEST(Config, WhatIsPrintedReadsBackTheSame) {
  Config config;
  config.port = 1;
  config.host = "quote \" and \\ and\ttab";
  config.hosts = {"a", "b"};
  config.speak_replies = false;
  Config again;
  ASSERT_TRUE(read_toml(again, to_toml(config), "printed")) << to_toml(config);
  EXPECT_EQ(to_toml(again), to_toml(config));
  EXPECT_EQ(again.host, config.host);
  EXPECT_EQ(again.hosts, config.hosts);
}

TEST(Config, TheGuideIsUpToDate) {
  const auto written =
      files::read(std::filesystem::path(GADGET_SOURCE_DIR) / "docs" / "config.md", 100'000);
  ASSERT_TRUE(written) << "make it with: hermes-gadget config --markdown > docs/config.md";
  EXPECT_EQ(*written, config_guide());
}

}  // namespace
}  // namespace gadget::hub
