#include "ports/desktop/window.hpp"

#include <cstdlib>
#include <filesystem>

#include "ports/desktop/front.hpp"
#include "ports/desktop/sdl_library.hpp"

namespace gadget::ports::desktop {
namespace {

using device::Button;

// What can be typed at once; what is longer is not taken. The hub takes 4,000 characters (C1).
constexpr std::size_t kMaxTypedBytes = 4'000;
constexpr int kMaxShots = 10'000;  // gadget-N.png

class SdlWindow final : public Window {
 public:
  SdlWindow(const Sdl& sdl, Board& board) : sdl_(sdl), board_(board), front_(board.profile()) {}

  ~SdlWindow() override {
    if (texture_ != nullptr) sdl_.DestroyTexture(texture_);
    if (renderer_ != nullptr) sdl_.DestroyRenderer(renderer_);
    if (window_ != nullptr) sdl_.DestroyWindow(window_);
    sdl_.QuitSubSystem(SDL_INIT_VIDEO);
  }

  bool open() {
    window_ = sdl_.CreateWindow("hermes-gadget", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                                front_.width(), front_.height(), SDL_WINDOW_RESIZABLE);
    if (window_ == nullptr) return false;
    sdl_.SetWindowMinimumSize(window_, front_.width(), front_.height());
    renderer_ = sdl_.CreateRenderer(window_, -1, 0);
    if (renderer_ == nullptr) return false;
    texture_ = sdl_.CreateTexture(renderer_, SDL_PIXELFORMAT_RGB565, SDL_TEXTUREACCESS_STREAMING,
                                  front_.width(), front_.height());
    if (texture_ == nullptr) return false;
    sdl_.StartTextInput();
    return true;
  }

  bool step() override {
    SDL_Event event;
    while (sdl_.PollEvent(&event) != 0) {
      if (event.type == SDL_QUIT) return false;
      take(event);
    }
    show();
    return true;
  }

  void note(std::string text) override { look_.note = std::move(text); }

 private:
  // ---- What the person does

  void take(const SDL_Event& event) {
    switch (event.type) {
      case SDL_KEYDOWN: return key_down(event.key);
      case SDL_KEYUP: return key_up(event.key);
      case SDL_TEXTINPUT: return typed(event.text.text);
      case SDL_MOUSEBUTTONDOWN: return mouse_down(event.button);
      case SDL_MOUSEBUTTONUP:
        if (event.button.button == SDL_BUTTON_LEFT && clicked_) press(*clicked_, false);
        clicked_.reset();
        return;
      case SDL_WINDOWEVENT:
        stale_ = true;
        if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) let_go();
        return;
      default: return;
    }
  }

  static std::optional<Button> button_of(SDL_Keycode key) {
    switch (key) {
      case SDLK_SPACE: return Button::talk;
      case SDLK_ESCAPE:
      case SDLK_BACKSPACE: return Button::cancel;
      case SDLK_UP: return Button::up;
      case SDLK_DOWN: return Button::down;
      default: return std::nullopt;
    }
  }

  void key_down(const SDL_KeyboardEvent& event) {
    const SDL_Keycode key = event.keysym.sym;
    const bool control = (event.keysym.mod & KMOD_CTRL) != 0;
    if (key == SDLK_RETURN || key == SDLK_KP_ENTER) return send();
    if (key == SDLK_F2) return save();
    if (control && key == SDLK_v) return paste();
    if (!look_.typed.empty()) {
      if (key == SDLK_BACKSPACE) return take_back();
      if (key == SDLK_ESCAPE) return look_.typed.clear();
      if (key == SDLK_SPACE) return;  // it comes as text
    }
    if (event.repeat != 0) return;
    if (const auto button = button_of(key)) {
      press(*button, true);
      by_key_[static_cast<std::size_t>(*button)] = true;
    }
  }

  void key_up(const SDL_KeyboardEvent& event) {
    const auto button = button_of(event.keysym.sym);
    if (!button || !by_key_[static_cast<std::size_t>(*button)]) return;
    by_key_[static_cast<std::size_t>(*button)] = false;
    press(*button, false);
  }

  void typed(std::string_view text) {
    if (look_.typed.empty() && text == " ") return;  // that was TALK
    if (look_.typed.size() + text.size() <= kMaxTypedBytes) look_.typed += text;
  }

  void take_back() {
    auto& text = look_.typed;
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
      text.pop_back();
    }
    if (!text.empty()) text.pop_back();
  }

  void paste() {
    char* const text = sdl_.GetClipboardText();
    if (text == nullptr) return;
    for (char* c = text; *c != '\0'; ++c) {
      if (static_cast<unsigned char>(*c) < 0x20) *c = ' ';
    }
    typed(text);
    sdl_.free(text);
  }

  void send() {
    if (look_.typed.empty()) return;
    if (board_.core().text(board_.now(), look_.typed)) {
      look_.typed.clear();
      look_.note.clear();
    }  // else it stays: nobody is there to hear it
  }

  void save() {
    for (int i = 1; i < kMaxShots; ++i) {
      const std::string name = "gadget-" + std::to_string(i) + ".png";
      if (std::filesystem::exists(name)) continue;
      const auto saved = board_.screenshot(name);
      return note(saved ? "saved " + name : to_line(saved.error()));
    }
  }

  void mouse_down(const SDL_MouseButtonEvent& event) {
    const auto [x, y] = place(event.x, event.y);
    const auto button = front_.button_at(x, y);
    if (!button) return;
    if (event.button == SDL_BUTTON_LEFT) {
      clicked_ = button;
      press(*button, true);
    } else if (event.button == SDL_BUTTON_RIGHT) {
      press(*button, !look_.down[static_cast<std::size_t>(*button)]);
    }
  }

  void press(Button button, bool down) {
    bool& is_down = look_.down[static_cast<std::size_t>(button)];
    if (is_down == down) return;
    is_down = down;
    board_.core().button(board_.now(), button, down);
  }

  void let_go() {
    for (const auto button : {Button::talk, Button::cancel, Button::up, Button::down}) {
      press(button, false);
    }
    by_key_ = {};
    clicked_.reset();
  }

  // ---- What it shows

  // By which whole number the front is enlarged, and where it begins in the window.
  struct Placed {
    int zoom, x, y;
  };
  [[nodiscard]] Placed placed(int width, int height) const {
    const int zoom = std::max(1, std::min(width / front_.width(), height / front_.height()));
    return {zoom, (width - zoom * front_.width()) / 2, (height - zoom * front_.height()) / 2};
  }

  [[nodiscard]] std::pair<int, int> place(int x, int y) const {
    int width = 0;
    int height = 0;
    sdl_.GetWindowSize(window_, &width, &height);
    const auto at = placed(width, height);
    return {(x - at.x) / at.zoom, (y - at.y) / at.zoom};
  }

  void show() {
    const auto& gadget = board_.gadget();
    std::string title{gadget.settings().text(device::Setting::name)};
    if (title.empty()) title = gadget.id().text();
    title += " - " + std::string{name(gadget.state())};
    if (title != title_) sdl_.SetWindowTitle(window_, title.c_str());
    title_ = title;

    look_.lamp = board_.lamp();
    look_.backlight_percent = board_.backlight_percent();
    const auto& panel = board_.core().panel();
    if (!stale_ && panel.version() == shown_version_ && look_ == shown_look_) return;
    stale_ = false;
    shown_version_ = panel.version();
    shown_look_ = look_;
    const auto pixels = front_.draw(panel, look_);
    sdl_.UpdateTexture(texture_, nullptr, pixels.data(),
                       front_.width() * static_cast<int>(sizeof(device::screen::Colour)));
    int width = 0;
    int height = 0;
    sdl_.GetRendererOutputSize(renderer_, &width, &height);
    const auto at = placed(width, height);
    const SDL_Rect where{at.x, at.y, at.zoom * front_.width(), at.zoom * front_.height()};
    sdl_.SetRenderDrawColor(renderer_, 58, 63, 74, 255);  // the body of the front
    sdl_.RenderClear(renderer_);
    sdl_.RenderCopy(renderer_, texture_, nullptr, &where);
    sdl_.RenderPresent(renderer_);
  }

  const Sdl& sdl_;
  Board& board_;
  Front front_;
  SDL_Window* window_ = nullptr;
  SDL_Renderer* renderer_ = nullptr;
  SDL_Texture* texture_ = nullptr;
  Front::Look look_;
  std::array<bool, device::kButtons> by_key_{};
  std::optional<Button> clicked_;
  std::string title_;
  bool stale_ = true;
  std::uint64_t shown_version_ = 0;
  Front::Look shown_look_;
};

bool set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

Result<std::unique_ptr<Window>> open_window(Board& board) {
  // Without these SDL would take the whole console of a machine that has no desktop.
  if (!set("DISPLAY") && !set("WAYLAND_DISPLAY") && !set("SDL_VIDEODRIVER")) {
    return fail(FailureCode::unavailable, "there is no display");
  }
  const auto sdl = Sdl::load();
  if (!sdl) return tl::unexpected{sdl.error()};
  (*sdl)->SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");  // they are the loop's
  // A picture of 320x240 needs no OpenGL, whose driver would run threads of its own in the program.
  // The environment variables of the same names still decide.
  (*sdl)->SetHint(SDL_HINT_RENDER_DRIVER, "software");
  (*sdl)->SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
  if ((*sdl)->InitSubSystem(SDL_INIT_VIDEO) != 0) {
    return fail(FailureCode::unavailable, (*sdl)->GetError());
  }
  auto window = std::make_unique<SdlWindow>(**sdl, board);
  if (!window->open()) return fail(FailureCode::unavailable, (*sdl)->GetError());
  return std::unique_ptr<Window>{std::move(window)};
}

}  // namespace gadget::ports::desktop
