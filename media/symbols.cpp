#include "media/symbols.hpp"

#include <algorithm>
#include <array>

#include <unicode/uchar.h>

namespace gadget::media {
namespace {

struct Entry {
  char32_t sign;
  std::string_view text;
};

// Sorted by code point: searched by bisection, and checked at compile time.
constexpr Entry kSigns[] = {
    {0x00A2, "c"},       {0x00A7, "sec. "},      {0x00A9, "(c)"},       {0x00AA, "a"},
    {0x00AC, "not "},    {0x00AE, "(R)"},        {0x00B1, "+/-"},       {0x00B2, "^2"},
    {0x00B3, "^3"},      {0x00B4, "'"},          {0x00B5, "u"},         {0x00B6, "par. "},
    {0x00B7, "-"},       {0x00B9, "^1"},         {0x00BA, "o"},         {0x00D7, "x"},
    {0x00F7, "/"},       {0x2010, "-"},          {0x2011, "-"},         {0x2012, "-"},
    {0x2013, "-"},       {0x2014, "--"},         {0x2015, "--"},        {0x2016, "||"},
    {0x2018, "'"},       {0x2019, "'"},          {0x201A, "'"},         {0x201B, "'"},
    {0x201C, "\""},      {0x201D, "\""},         {0x201E, "\""},        {0x201F, "\""},
    {0x2020, "+"},       {0x2021, "++"},         {0x2022, "-"},         {0x2023, "-"},
    {0x2026, "..."},     {0x2030, " per mille"}, {0x2032, "'"},         {0x2033, "\""},
    {0x2039, "<"},       {0x203A, ">"},          {0x203C, "!!"},        {0x2043, "-"},
    {0x2044, "/"},       {0x2047, "??"},         {0x2048, "?!"},        {0x2049, "!?"},
    {0x2122, "(TM)"},    {0x2126, "Ohm"},        {0x2190, "<-"},        {0x2191, "^"},
    {0x2192, "->"},      {0x2193, "v"},          {0x2194, "<->"},       {0x21A6, "->"},
    {0x21D0, "<="},      {0x21D2, "=>"},         {0x21D4, "<=>"},       {0x2200, "for all "},
    {0x2203, "exists "}, {0x2205, "{}"},         {0x2206, "delta "},    {0x2208, " in "},
    {0x2211, "sum "},    {0x2212, "-"},          {0x2213, "-/+"},       {0x2215, "/"},
    {0x2217, "*"},       {0x2219, "-"},          {0x221A, "sqrt "},     {0x221E, "infinity"},
    {0x2227, " and "},   {0x2228, " or "},       {0x222B, "integral "}, {0x223C, "~"},
    {0x2245, "~="},      {0x2248, "~"},          {0x2260, "!="},        {0x2261, "=="},
    {0x2264, "<="},      {0x2265, ">="},         {0x226A, "<<"},        {0x226B, ">>"},
    {0x22C5, "-"},       {0x2500, "-"},          {0x2502, "|"},         {0x250C, "+"},
    {0x2510, "+"},       {0x2514, "+"},          {0x2518, "+"},         {0x251C, "+"},
    {0x2524, "+"},       {0x252C, "+"},          {0x2534, "+"},         {0x253C, "+"},
    {0x25A0, "-"},       {0x25AA, "-"},          {0x25AB, "-"},         {0x25B6, ">"},
    {0x25BA, ">"},       {0x25C0, "<"},          {0x25CB, "o"},         {0x25CF, "-"},
    {0x25E6, "-"},       {0x2605, "*"},          {0x2606, "*"},         {0x2610, "[ ]"},
    {0x2611, "[x]"},     {0x2612, "[x]"},        {0x2713, "[check]"},   {0x2714, "[check]"},
    {0x2715, "[x]"},     {0x2716, "[x]"},        {0x2717, "[x]"},       {0x2718, "[x]"},
    {0x2794, "->"},      {0x279C, "->"},         {0x27A1, "->"},        {0x27F6, "->"},
    {0x2B05, "<-"},      {0x2B06, "^"},          {0x2B07, "v"},         {0x300C, "\""},
    {0x300D, "\""},      {0x300E, "\""},         {0x300F, "\""},        {0x3010, "["},
    {0x3011, "]"},       {0x301C, "~"},
};

constexpr Entry kCurrencies[] = {
    {0x00A3, "GBP"}, {0x00A5, "JPY"}, {0x20A6, "NGN"}, {0x20A9, "KRW"}, {0x20AA, "ILS"},
    {0x20AB, "VND"}, {0x20AC, "EUR"}, {0x20B1, "PHP"}, {0x20B4, "UAH"}, {0x20B9, "INR"},
    {0x20BA, "TRY"}, {0x20BD, "RUB"}, {0x20BF, "BTC"},
};

// Emoji whose Unicode names are longer or stranger than what people call them.
constexpr Entry kEmojiNames[] = {
    {0x231B, "hourglass"},
    {0x2600, "sun"},
    {0x2601, "cloud"},
    {0x2614, "umbrella"},
    {0x263A, "smile"},
    {0x2639, "frown"},
    {0x2665, "heart"},
    {0x267B, "recycle"},
    {0x26A0, "warning"},
    {0x26A1, "lightning"},
    {0x26BD, "soccer ball"},
    {0x26C5, "sun behind cloud"},
    {0x26D4, "no entry"},
    {0x2705, "check"},
    {0x270C, "victory hand"},
    {0x2728, "sparkles"},
    {0x274C, "x"},
    {0x274E, "x"},
    {0x2753, "question"},
    {0x2757, "exclamation"},
    {0x2764, "heart"},
    {0x2B50, "star"},
    {0x1F321, "thermometer"},
    {0x1F327, "rain"},
    {0x1F389, "party"},
    {0x1F3F3, "flag"},
    {0x1F3F4, "flag"},
    {0x1F3E0, "house"},
    {0x1F44B, "wave"},
    {0x1F44C, "OK"},
    {0x1F44D, "thumbs up"},
    {0x1F44E, "thumbs down"},
    {0x1F44F, "applause"},
    {0x1F49A, "green heart"},
    {0x1F4A1, "light bulb"},
    {0x1F4AF, "100"},
    {0x1F4C5, "calendar"},
    {0x1F50B, "battery"},
    {0x1F525, "fire"},
    {0x1F552, "clock"},
    {0x1F600, "grin"},
    {0x1F602, "laughing"},
    {0x1F603, "smile"},
    {0x1F604, "smile"},
    {0x1F605, "nervous smile"},
    {0x1F609, "wink"},
    {0x1F60A, "smile"},
    {0x1F60D, "heart eyes"},
    {0x1F60E, "cool"},
    {0x1F614, "sad"},
    {0x1F622, "crying"},
    {0x1F62D, "sobbing"},
    {0x1F642, "smile"},
    {0x1F643, "upside-down smile"},
    {0x1F64F, "folded hands"},
    {0x1F680, "rocket"},
    {0x1F6D2, "shopping cart"},
    {0x1F914, "thinking"},
    {0x1F923, "rolling laughing"},
    {0x1F973, "party face"},
};

constexpr bool before(const Entry& a, const Entry& b) { return a.sign < b.sign; }
static_assert(std::is_sorted(std::begin(kSigns), std::end(kSigns), before));
static_assert(std::is_sorted(std::begin(kCurrencies), std::end(kCurrencies), before));

std::string_view find_in(const Entry* first, const Entry* last, char32_t sign) {
  const Entry* found = std::lower_bound(first, last, Entry{sign, {}}, before);
  return found != last && found->sign == sign ? found->text : std::string_view{};
}

// The longest name that is still worth showing in brackets.
constexpr std::size_t kMaxNameBytes = 40;

constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kEmojiStyle = 0xFE0F;
constexpr char32_t kTextStyle = 0xFE0E;
constexpr char32_t kKeycap = 0x20E3;

bool is_regional_letter(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
bool is_skin_tone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
bool is_tag(char32_t c) { return c >= 0xE0020 && c <= 0xE007F; }
bool is_style(char32_t c) { return c == kEmojiStyle || c == kTextStyle; }

bool is_pictograph(char32_t c) {
  if (c < 0x2100) return false;  // digits, (c) and "!!" are signs, not pictures
  const auto code = static_cast<UChar32>(c);
  return u_hasBinaryProperty(code, UCHAR_EMOJI) != 0 ||
         u_hasBinaryProperty(code, UCHAR_EXTENDED_PICTOGRAPHIC) != 0;
}

std::string picture_name(char32_t c) {
  const auto* found = std::find_if(std::begin(kEmojiNames), std::end(kEmojiNames),
                                   [c](const Entry& entry) { return entry.sign == c; });
  return found != std::end(kEmojiNames) ? std::string(found->text) : character_name(c);
}

Emoji flag_at(std::u32string_view text, std::size_t at) {
  Emoji flag;
  flag.name = "flag ";
  while (flag.length < 2 && at + flag.length < text.size() &&
         is_regional_letter(text[at + flag.length])) {
    flag.name += static_cast<char>('A' + (text[at + flag.length] - 0x1F1E6));
    ++flag.length;
  }
  return flag;
}

}  // namespace

std::string_view currency_code(char32_t sign) {
  return find_in(std::begin(kCurrencies), std::end(kCurrencies), sign);
}

std::string_view ascii_for(char32_t sign) {
  const auto found = find_in(std::begin(kSigns), std::end(kSigns), sign);
  return found.empty() ? currency_code(sign) : found;
}

std::string character_name(char32_t character) {
  std::array<char, 128> buffer{};
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t length =
      u_charName(static_cast<UChar32>(character), U_UNICODE_CHAR_NAME, buffer.data(),
                 static_cast<std::int32_t>(buffer.size()), &status);
  if (U_FAILURE(status) || length <= 0) return {};
  std::string name(buffer.data(), static_cast<std::size_t>(length));
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (name.starts_with("heavy ")) name.erase(0, 6);
  if (name.ends_with(" sign")) name.resize(name.size() - 5);
  if (name.size() > kMaxNameBytes) name.resize(kMaxNameBytes);
  return name;
}

std::optional<Emoji> emoji_at(std::u32string_view text, std::size_t at) {
  const auto peek = [&](std::size_t i) { return i < text.size() ? text[i] : char32_t{0}; };
  const char32_t first = text[at];
  if ((first >= '0' && first <= '9') || first == '#' || first == '*') {
    const std::size_t cap = at + (is_style(peek(at + 1)) ? 2 : 1);
    if (peek(cap) != kKeycap) return std::nullopt;
    return Emoji{cap + 1 - at, std::string(1, static_cast<char>(first))};
  }
  if (is_regional_letter(first)) return flag_at(text, at);
  if (!is_pictograph(first)) return std::nullopt;

  Emoji emoji;
  emoji.name = picture_name(first);
  std::size_t end = at + 1;
  for (;;) {
    while (is_style(peek(end)) || is_skin_tone(peek(end))) ++end;
    for (bool opened = false; is_tag(peek(end)); ++end, opened = true) {
      if (!opened) emoji.name += ' ';
      const auto letter = static_cast<char>(text[end] - 0xE0000);
      if (emoji.name.size() < kMaxNameBytes && letter != '\x7F') emoji.name += letter;
    }
    if (peek(end) != kJoiner || !is_pictograph(peek(end + 1))) break;
    if (emoji.name.size() < kMaxNameBytes) emoji.name += " " + picture_name(text[end + 1]);
    end += 2;
  }
  emoji.length = end - at;
  return emoji;
}

}  // namespace gadget::media
