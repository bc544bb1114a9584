#include "device/model/hub_lines.hpp"

#include <array>
#include <utility>
#include <variant>

namespace gadget::device::model {
namespace {

using protocol::Kind;

template <class Message>
void add_row(std::vector<LineRow>& rows) {
  if constexpr (!std::is_same_v<Message, protocol::Unknown>) {
    using Table = protocol::Fields<Message>;
    LineRow row{Table::kType, {}};
    for (const auto& field : Table::kFields) {
      row.fields.push_back({field.name, field.kind, field.required});
    }
    rows.push_back(std::move(row));
  }
}

template <class... Messages>
std::vector<LineRow> make_rows(const std::variant<Messages...>*) {
  std::vector<LineRow> rows;
  (add_row<Messages>(rows), ...);
  return rows;
}

// ---- Values, as JSON

using Pool = std::vector<std::string>;

std::string quoted(std::string_view text) { return "\"" + std::string{text} + "\""; }

const Pool& texts() {
  static const Pool pool{
      quoted(""),
      quoted("Hello."),
      quoted("Gr\xC3\xBC\xC3\x9F Gott, \xE4\xB8\x96\xE7\x95\x8C \xF0\x9F\x98\x80"),
      quoted(R"(a\nb\t\"c\"\\ \u00e4\ud83d\ude00\ud800)"),
      quoted(R"(\u0000\u0001\u202e)"),
      quoted(std::string(300, 'w')),
      quoted("words " + std::string(3'000, 'x') + " and more words"),
      quoted(std::string(900, ' ') + "late")};
  return pool;
}

struct NamedPool {
  std::string_view name;
  Pool values;
};

const std::vector<NamedPool>& named() {
  static const std::vector<NamedPool> pools{
      {"turn", {R"("1")", R"("2")", R"("3")", R"("")", quoted(std::string(64, 't'))}},
      {"id",
       {R"("1")", R"("2")", R"("3")", R"("4")", R"("5")", R"("")", quoted(std::string(64, 'i')),
        quoted(std::string(65, 'i')), R"("\u00e4\u0001\"")"}},
      {"stream", {"1", "2", "3", "1", "2", "250", "251", "255", "0", "256", "-1"}},
      {"rate",
       {"16000", "16000", "8000", "24000", "4000", "48000", "44100", "3999", "48001", "0", "-16000",
        "9223372036854775807", "-9223372036854775808", "99999999999999999999"}},
      {"format", {R"("pcm16")", R"("pcm16")", R"("rgb565")", R"("rgb565")", R"("opus")", R"("")"}},
      {"width", {"8", "1", "16", "32", "33", "4096", "4097", "0", "-1", "9223372036854775807"}},
      {"height", {"8", "1", "16", "32", "33", "4096", "4097", "0", "-1", "9223372036854775807"}},
      {"ttl_s",
       {"0", "1", "5", "30", "86400", "86401", "-1", "0.001", "1e308", "-1e308", "1e400", "0.0",
        "-0", "99999999999999999999999999999999999999"}},
      {"heartbeat_s", {"20", "20", "5", "300", "0", "-5", "1e300", "0.5", "301"}},
      {"time", {"1767270840000", "0", "-1", "1e300", "-1e300", "9223372036854775807"}},
      {"utc_offset_s", {"0", "3600", "-43200", "1e300", "-1e300", "0.5"}},
      {"ts",
       {"1", "1767270840000", "-1", "1.5e3", "0.10", "1e400", "123456789012345678901234567890"}},
      {"enrolled", {"true", "false"}},
      {"name",
       {R"("at_once")", R"("later")", R"("fails")", R"("too_much")", R"("picky")", R"("led.set")",
        R"("speaker.volume")", R"("screen.brightness")", R"("nobody")", R"("")"}},
      {"args",
       {"{}", R"({"percent":50})", R"({"percent":101})", R"({"color":"red"})", R"({"color":7})",
        R"({"n":3,"word":"a"})", R"({"n":-1})", R"({"n":1e400})", R"({"x":[1,{"y":null}]})"}},
      {"outcome", {R"("success")", R"("failure")", R"("cancelled")", R"("later")"}},
      {"code",
       {R"("timeout")", R"("busy")", R"("auth_failed")", R"("protocol")", R"("bad_token")",
        R"("later")", R"("ABCD2345")"}},
      {"size",
       {"1", "1000", "65536", "2147483647", "2147483648", "0", "-1", "9223372036854775807"}},
      {"sha256",
       {quoted(std::string(64, 'a')), quoted(std::string(64, 'A')), quoted(std::string(63, 'a')),
        R"("")"}},
      {"nonce",
       {R"("bm9uY2Utbm9uY2Utbm9uY2U=")", R"("x")", R"("")", quoted(std::string(64, 'n')),
        quoted(std::string(65, 'n'))}},
      {"mac", {R"("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")", R"("")", R"("x")"}},
  };
  return pools;
}

const Pool& pool_for(const LineField& field) {
  static const Pool integers{"1", "0", "-1", "2147483648", "9223372036854775807"};
  static const Pool numbers{"1", "0", "-1", "0.5", "1e400"};
  static const Pool booleans{"true", "false"};
  static const Pool values{"{}", "[]", "null", "1", R"("x")"};
  for (const auto& one : named()) {
    if (one.name == field.name) return one.values;
  }
  switch (field.kind) {
    case Kind::integer:
    case Kind::maybe_integer: return integers;
    case Kind::number: return numbers;
    case Kind::boolean: return booleans;
    case Kind::any:
    case Kind::object: return values;
    default: return texts();
  }
}

std::string other_type(const LineField& field, Random& random) {
  static const Pool strings{"7", "true", "{}", "[]", "1.0"};
  static const Pool others{R"("text")", R"("")", R"("1")", R"("true")", "[1]"};
  const bool is_text = pool_for(field)[0].front() == '"';
  const Pool& pool = is_text ? strings : others;
  return pool[random.below(static_cast<std::uint32_t>(pool.size()))];
}

std::string huge(const LineField& field) {
  if (pool_for(field)[0].front() == '"') return quoted(std::string(65'000, 'h'));
  if (field.kind == Kind::object || field.kind == Kind::any) {
    return R"({"x":")" + std::string(65'000, 'h') + "\"}";
  }
  return std::string(60'000, '9');
}

}  // namespace

const std::vector<LineRow>& hub_rows() {
  static const std::vector<LineRow> rows =
      make_rows(static_cast<const protocol::HubMessage*>(nullptr));
  return rows;
}

std::string hub_line(const LineRow& row, Random& random, Harm harm, std::uint32_t which) {
  const std::size_t harmed = row.fields.empty() ? 0 : which % row.fields.size();
  std::string text = R"({"type":)" + quoted(harm == Harm::unknown ? "hologram" : row.type);
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    const auto& field = row.fields[i];
    const Harm here = i == harmed ? harm : Harm::none;
    const Pool& pool = pool_for(field);
    // The first values of a pool are the useful ones: half of the time one of them.
    const auto range = static_cast<std::uint32_t>(
        random.below(2) == 0 ? std::min<std::size_t>(2, pool.size()) : pool.size());
    std::string value = pool[random.below(range)];
    const bool left_out = !field.required && random.below(4) == 0;
    if (here == Harm::absent || (here == Harm::none && left_out)) continue;
    if (here == Harm::null) value = "null";
    if (here == Harm::other_type) value = other_type(field, random);
    if (here == Harm::huge) value = huge(field);
    const std::string member = "," + quoted(field.name) + ":" + value;
    text += member;
    if (here == Harm::twice) text += member;
  }
  if (harm == Harm::deep) {
    const std::size_t depth = random.below(4) == 0 ? 100'000 : 40;
    text += R"(,"z":)" + std::string(depth, random.below(2) == 0 ? '[' : '{');
  }
  if (harm == Harm::extra) text += R"(,"later":{"a":[null,1.5e9,"x",{}]},"zz":null)";
  text += "}";
  if (harm == Harm::cut) text.resize(random.below(static_cast<std::uint32_t>(text.size())));
  if (harm == Harm::flipped) {
    char& byte = text[random.below(static_cast<std::uint32_t>(text.size()))];
    byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random.below(8)));
  }
  return text;
}

}  // namespace gadget::device::model
