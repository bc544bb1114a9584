// The English templates, in the order in which they are tried. Slots by name: for, when, more, day,
// name, text, items, list, place, from, to, what, x, a, b.
#include <utility>

#include "hub/agent/builtin/pattern.hpp"
#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub::builtin {
namespace {

// Word classes. "for" and "to" may be heard as numbers.
constexpr std::pair<std::string_view, std::string_view> kClasses[] = {
    {"@set",
     "(set|set up|start|create|make|begin|add|give me|put on|schedule|get me|run|i need|i want)"},
    {"@cancel",
     "(cancel|stop|delete|remove|clear|end|kill|dismiss|turn off|switch off|shut off|get rid "
     "of|erase|"
     "drop|disable|abort|silence)"},
    {"@a", "[(the|my|a|an|another|one more|a new|a second|a third|our|this|that|me a|me an|new)]"},
    {"@for", "(for|four|of|to|at)"},
    {"@to", "(to|two|too)"},
    {"@on", "(to|two|too|on|onto|on to|in|into)"},
    {"@show",
     "(show|show me|list|read|read me|read out|give me|what is|what are|check|see|tell me)"},
    {"@left", "(left|remaining|to go)"},
    {"@here",
     "[(in here|here|inside|indoors|in the room|in this room|in the house|at home|in my "
     "room|today)]"},
    {"@where", "(outside|outdoors|in (the|my|our) {where:text})"},
    {"@done", "(done|up|over|finished)"},
};

constexpr Rule kRules[] = {
    // ---- Small talk and the conversation itself
    {"greeting",
     "(hello|hi|hey|hello there|hi there|hey there|good (morning|afternoon|evening|day))"},
    {"greeting", "(how are you [doing] [today]|what is up|how is it going)"},
    {"thanks",
     "(ok|okay|fine|thanks|thank you|many thanks|cheers|great|perfect|good job|well done) "
     "[(a lot|very much|so much|thanks|thank you)]"},
    {"goodbye", "(goodbye|bye|bye bye|see you|see you later|good night|talk to you later)"},
    {"stop",
     "(stop|stop it|stop that|stop talking|never mind|forget it|forget about it|cancel|quiet|"
     "be quiet|shut up|that is all|that will be all|nothing|no|no thanks|no thank you|enough)"},
    {"repeat",
     "(repeat|repeat that|repeat it|say (that|it) again|say again|what did you [just] say|"
     "come again|pardon|pardon me|what was that|once more|again|one more time|"
     "repeat [(that|it)] (once more|again))"},
    {"help",
     "(help|help me|what can (you|i) (do|say|ask|ask you)|what can you help [me] with|"
     "how can you help [me]|what else can you do|what are you able to do|"
     "show me what you can do|how does this work|how do (i|you) use (you|this)|"
     "what are your (skills|features|abilities)|what do you do|what all can you do|"
     "what can you do for me)"},
    {"new_conversation",
     "[let us] (start|begin|open|have) [(a|an|the)] (new|fresh|another) "
     "(conversation|chat|session)"},
    {"new_conversation",
     "(new (conversation|chat|session)|[let us] start (over|again|afresh|fresh))"},
    {"new_conversation",
     "(forget|clear|reset|delete|erase|wipe) (this|the|our|that|my) [whole|entire] "
     "(conversation|chat|chat history|history|session)"},
    {"new_conversation",
     "forget (everything|everything (i|we) (said|talked about)|all of (this|it)|what (i|we) "
     "(said|talked about))"},
    {"name",
     "(what is your name|who are you|what are you called|what (device|gadget) (is this|are you)|"
     "what is this (device|gadget) called|what is the name of this (device|gadget))"},
    {"status", "are you (online|there|working|connected|awake|alive|ok|ready|on)"},
    {"status",
     "what (firmware|version|software|firmware version|software version) (are you running|"
     "do you (have|run|use)|is this|are you [on]|is running)"},
    {"status",
     "what is (your|the) (firmware|version|firmware version|software version|status|"
     "device status)"},
    {"status",
     "(device status|system status|status|status report|what (board|hardware) (is this|are you))"},
    {"devices",
     "(which|what) (devices|gadgets) (are (there|online|connected)|do (you|i) (have|know|see))"},

    // ---- Timers
    {"timer", "@set @a timer [@for] {for:duration}"},
    {"timer", "@set @a {for:duration} timer [(for|called|named|labeled) @a {name:name}]"},
    {"timer", "@set @a {for:duration} {name:name} timer"},
    {"timer", "@set @a {name:name} timer [@for] {for:duration}"},
    {"timer",
     "@set @a timer (for|called|named|labeled) @a {name:name} [(for|four|of|to|in|at)] "
     "{for:duration}"},
    {"timer", "@set @a timer [@for] {for:duration} (for|called|named|labeled) @a {name:name}"},
    {"timer", "@set {for:duration} on @a [{name:name}] timer"},
    {"timer", "@a timer [@for] {for:duration}"},
    {"timer", "@a {for:duration} timer [(for|called|named|labeled) @a {name:name}]"},
    {"timer", "@a {for:duration} {name:name} timer"},
    {"timer", "@a {name:name} timer [@for] {for:duration}"},
    {"timer",
     "(time|count down|count down from|countdown|countdown from|countdown for|start counting "
     "down from|start a countdown of|start a countdown for) {for:duration}"},
    {"timer", "(let me know|alert me|notify me|ping me|buzz me|beep) (in|after) {for:duration}"},
    {"timer",
     "(let me know|alert me|notify me) when {for:duration} (is|are|have|has) (up|over|passed)"},
    {"timer_more",
     "(add|give me|put) [another] {for:duration} [more] (to|two|on|onto) @a [{name:name}] timer"},
    {"timer_more", "(extend|increase|lengthen) @a [{name:name}] timer by {for:duration}"},
    {"timer_read",
     "how (much time|long|much longer|many minutes|much) (is|are|do i have|have i got) @left "
     "[(on|for|in|with) [(all [of])] @a [{name:name}] (timer|timers)]"},
    {"timer_read",
     "how (much time|long|much longer|much) [(is|does)] [@left] (on|for|in|does|has|have|is) "
     "@a [{name:name}] timer [(have|has|got)] [@left]"},
    {"timer_read",
     "how (much time|long|much longer) [is] [it] [@left] (until|till|before|to) @a "
     "[{name:name}] timer [(goes off|rings|ends|beeps|finishes|is @done)]"},
    {"timer_read",
     "(what is @left|what time is @left|time @left|what remains) "
     "[(on|of|for) @a [{name:name}] timer]"},
    {"timer_read",
     "when (does|will|is) @a [{name:name}] timer (end|go off|ring|finish|be @done|@done|"
     "going off|going to ring)"},
    {"timer_read", "@show [all [of]] @a [{name:name}] (timer|timers|timer status)"},
    {"timer_read",
     "(what|which|how many) (timers|timer) (are|is|do i have|have i got|do we have) "
     "[(set|running|on|active|there|going)]"},
    {"timer_read",
     "(do i have|have i got|are there|is there) (any|a) (timer|timers) [(set|running|going|on)]"},
    {"timer_read",
     "(timers|my timers|timer status|how (is|are) @a [{name:name}] (timer|timers) doing|"
     "is @a [{name:name}] timer [still] (running|set|on|going))"},
    {"timer_cancel", "@cancel [(all [of]|both|every)] @a [{name:name}] (timer|timers)"},
    {"timer_cancel", "@cancel @a {for:duration} [{name:name}] timer"},
    {"timer_cancel", "@cancel @a timer (for|called|named) @a ({for:duration}|{name:name})"},
    {"timer", "@set @a [{name:name}] timer [for {number:number}]"},
    {"timer", "timer"},

    // ---- Alarms
    {"alarm", "@set @a alarm [(clock)] [@to] [(ring|go off)] {when:bare}"},
    {"alarm", "@set @a {name:name} alarm [@to] {when:bare}"},
    {"alarm", "@set @a alarm (called|named|labeled) @a {name:name} {when:bare}"},
    {"alarm", "@set @a {when:bare} alarm"},
    {"alarm", "(wake|get) (me|us) [up] {when:bare}"},
    {"alarm", "(i|we) (need|have|want) to (wake|get|be) up {when:bare}"},
    {"alarm", "@a alarm {when:bare}"},
    {"alarm", "@a {when:bare} alarm"},
    {"alarm_read",
     "(what|which|how many) (alarms|alarm) (are|is|do i have|have|have i got|do we have) "
     "[(set|on|active|there)]"},
    {"alarm_read", "@show [all [of]] @a [next] (alarm|alarms) [(set for|set to|set)]"},
    {"alarm_read",
     "when (is|does|will) @a [next] alarm [(set for|set|go off|ring|going off|going to ring)]"},
    {"alarm_read", "what time (is|does|will) @a [next] alarm [(set for|set to|set|go off|ring)]"},
    {"alarm_read",
     "(do i have|have i got|are there|is there) (any|an) (alarm|alarms) [set] [{when:bare}]"},
    {"alarm_read", "(alarms|my alarms|when do i (wake|get) up|is @a alarm (set|on))"},
    {"alarm_cancel",
     "@cancel [(all [of]|both|every)] @a [{name:name}] (alarm|alarms) [{when:bare}]"},
    {"alarm_cancel", "@cancel @a {when:bare} (alarm|alarms)"},
    {"alarm_cancel", "do not wake (me|us) [up] [{when:bare}]"},
    {"alarm", "(@set @a [{name:name}] alarm|wake (me|us) [up]|alarm)"},

    // ---- Reminders
    {"reminder", "remind (me|us) {when:when} (@to|about|of|that) {text:text} {more:when}"},
    {"reminder", "remind (me|us) {when:when} (@to|about|of|that) {text:text}"},
    {"reminder", "remind (me|us) (@to|about|of|that) {text:text} {when:when}"},
    {"reminder", "remind (me|us) (@to|about|of|that) {text:text}"},
    {"reminder", "{when:when} remind (me|us) (@to|about|of|that) {text:text}"},
    {"reminder", "@set @a reminder [for] {when:when} (@to|about|of|that|for) {text:text}"},
    {"reminder", "@set @a reminder (@to|about|of|that|for) {text:text} {when:when}"},
    {"reminder", "@set @a reminder {when:bare}"},
    {"reminder", "@set @a reminder (@to|about|of|that) {text:text}"},
    {"reminder", "do not let me forget (@to|about|that) {text:text} {when:when}"},
    {"reminder", "do not let me forget (@to|about|that) {text:text}"},
    {"reminder", "remind (me|us) {when:bare}"},
    {"reminder_read", "@show [all [of]] @a [next] (reminder|reminders)"},
    {"reminder_read",
     "(what|which|how many) (reminders|reminder) (are|is|do i have|have i got) "
     "[(set|there|active)]"},
    {"reminder_read", "(do i have|have i got|are there) any reminders [set]"},
    {"reminder_read",
     "(reminders|my reminders|what did i ask you to remind me (of|about|to do)|"
     "what are you going to remind me (of|about)|when is @a next reminder)"},
    {"reminder_cancel", "@cancel [(all [of]|every)] @a [(next|last)] (reminder|reminders)"},
    {"reminder_cancel", "@cancel @a (reminder|reminders) (@to|about|for|of|that) @a {text:text}"},
    {"reminder_cancel", "@cancel @a {text:name} (reminder|reminders)"},
    {"reminder_cancel", "do not remind me (@to|about|of) {text:text}"},
    {"reminder", "(remind (me|us)|@set @a reminder|reminder)"},
    {"cancel_it", "@cancel (it|that|that one|this|this one|them)"},

    // ---- Lists
    {"list_clear",
     "(clear|empty|delete|erase|wipe|reset|clean|remove) [(all [of]|out|up)] @a [{list:list}] "
     "list"},
    {"list_clear",
     "(clear|empty|delete|erase|wipe|remove|take|cross) [off] (everything|all|all items|"
     "all the items|all of it) (from|off|on|in) @a [{list:list}] list"},
    {"list_new", "(start|make|create|begin|add) (a new|a|another|new) {list:list} list"},
    {"list_remove",
     "(remove|take|delete|cross|scratch|strike|drop|clear|erase|tick|check) [off] {items:text} "
     "(from|off|off of|of|out of|on) @a [{list:list}] list"},
    {"list_remove", "(cross|tick|check|scratch|strike|take) (off|out) {items:text}"},
    {"list_remove", "(cross|tick|check|scratch|strike|take) {items:text} (off|out)"},
    {"list_remove", "mark {items:text} (as|is) (done|bought|finished) [on @a [{list:list}] list]"},
    {"list_done",
     "(i|we) [(have|already|have already|just)] (bought|got|did|finished|done|completed|found|"
     "picked up) {items:text}"},
    {"list_drop", "(remove|delete|drop) {items:text}"},
    {"list_add",
     "(add|put|write|include|throw|stick|place|pop|jot down|note) [down] {items:text} @on @a "
     "{list:list} list"},
    {"list_add",
     "(add|put|write|include|throw|stick|place|pop|jot down|note) [down] {items:text} @on @a "
     "(list|lists)"},
    {"list_add", "(add|put|write) @on @a [{list:list}] list {items:text}"},
    {"list_add", "(add|put) {items:text} @on @a {list:list}"},
    {"list_check", "(is|are) [there] [any] {items:text} on @a [{list:list}] list"},
    {"list_check", "(is|are) [there] [any] {items:text} on it"},
    {"list_read",
     "what [(is|else is|all is|do i have|do we have|have i got)] [(still|left)] (on|in) @a "
     "[{list:list}] list"},
    {"list_read", "@show @a [{list:list}] list"},
    {"list_read",
     "(what do (i|we) (need|have) to (buy|get)|what (should|must) (i|we) (buy|get)|"
     "what do (i|we) need) [(from|at|in) the (store|shop|supermarket|market|grocery store)]"},
    {"todo_read",
     "(what do (i|we) (have|need) to do|what should i do|what are my (tasks|to dos|to do|"
     "chores)|my (tasks|to dos)) [today]"},
    {"list_read", "how many (things|items) (are|do i have) on @a [{list:list}] list"},
    {"list_read", "what is on it"},
    {"list_read", "@a {list:list} list"},
    {"list_names", "(what|which) lists (do i have|are there|have i got|do you have)"},
    {"list_names", "(@show [all [of]] @a lists|my lists)"},

    // ---- Time and date
    {"time", "what time is it [(now|here|today|exactly)]"},
    {"time", "what is the [(current|exact|right|local)] time [(here|today)]"},
    {"time",
     "(what time (do you have|have you got|do we have|it is)|time|the time|what is the hour|"
     "how late is it|do you have the time|have you got the time|what hour is it|current time|"
     "time check|what the time is)"},
    {"time", "what time is it [now] in {place:text}"},
    {"time", "(what is the [current] time|[current] time|the time) [now] in {place:text}"},
    {"date", "(what|which) (day|date) is it [today]"},
    {"date", "(what|which) day of the week is it [today]"},
    {"date", "what is [the] [(current|exact)] (date|day) [today]"},
    {"date", "(what is|what) (today's date|todays date|today)"},
    {"date", "(date|the date|today's date|todays date|what (year|month) is it|what day today is)"},
    {"date", "(what is|what was|what will be) [the] (date|day) [(of|be)] {day:date}"},
    {"date", "what will the (date|day) be {day:date}"},
    {"date",
     "(what|which) (day|date|day of the week|weekday) (is|was|will be|is it|was it|will it be|"
     "does|did) [on] {day:date} [(fall on|be)]"},
    {"date", "on (what|which) (day|date|weekday) (is|does|was|did) {day:date} [fall]"},
    {"date", "when is {day:date} [this year]"},
    {"date_tomorrow", "what is (tomorrow's|tomorrows) date"},
    {"days_until",
     "how many (days|sleeps|weeks) [(is it|are there|are left|left|is there)] "
     "(until|till|to|before|til) {day:date}"},
    {"days_until",
     "how (long|far|soon|far away) [(is it|is there)] (until|till|to|before|til|is) {day:date}"},

    // ---- Units
    {"conversion",
     "how many {to:unit} [(are|is)] [there] (in|to|per) {from:quantity} [of {what:text}]"},
    {"conversion",
     "how many {to:unit} (are|is|make|makes|equal|equals) [in] {from:quantity} [of {what:text}]"},
    {"conversion",
     "how many {to:unit} (do|does|are) {from:quantity} [of {what:text}] "
     "(have|make|contain|equal|weigh|hold)"},
    {"conversion",
     "(convert|change|translate|turn) {from:quantity} [of {what:text}] (to|two|too|into|in|as) "
     "{to:unit}"},
    {"conversion",
     "(what is|what are|what does|how much is|how much are|what) {from:quantity} "
     "[of {what:text}] [(equal|come)] (in|to|into|as) {to:unit}"},
    {"conversion",
     "how (far|long|tall|high|big|heavy|hot|warm|cold|fast|large|wide|deep|much) (is|are) "
     "{from:quantity} [of {what:text}] (in|to|into|as) {to:unit}"},
    {"conversion",
     "{from:quantity} [of {what:text}] (in|to|into|as|is how many|equals how many) {to:unit}"},

    // ---- Arithmetic
    {"arithmetic",
     "(what is|what are|how much is|how much are|calculate|compute|work out|what does|"
     "evaluate|solve|what|how many is) {x:expression} [(equal|equals|make|makes|come to)]"},
    {"arithmetic", "{x:expression} [(equals|is|makes)] [what]"},
    {"arithmetic", "(what is|calculate|compute) [the] (sum of|total of) {x:expression}"},
    {"arithmetic", "(add|sum) [up] {x:expression}"},
    {"add", "add {a:number} @to {b:number}"},
    {"multiply", "multiply {a:number} (by|with|and|times) {b:number}"},
    {"multiply", "(what is|calculate) [the] product of {a:number} and {b:number}"},
    {"divide", "divide {a:number} by {b:number}"},
    {"subtract", "(subtract|take) {b:number} (from|away from) {a:number}"},
    {"subtract", "(what is|calculate) [the] difference (between|of) {a:number} and {b:number}"},
    {"square", "(what is|calculate) [the] square of {a:number}"},

    // ---- Things to buy without naming a list: only what is surely a thing to buy (understand.cpp)
    {"list_maybe", "(we|i) (need|want) [to] [(buy|get)] [(some|more|some more)] {items:text}"},
    {"list_maybe", "(we are|i am) [all] out of {items:text}"},
    {"list_maybe", "(we are|i am) [(running|getting)] low on {items:text}"},
    {"list_maybe", "(remember to|do not forget to) (buy|get) [(some|more)] {items:text}"},
    {"list_maybe", "(add|buy|get) [(some|more)] {items:text}"},

    // ---- Sensors: what {what} may be is decided by the device's own sensors
    {"sensors",
     "(what do (your|the) sensors (say|read|show|measure)|[show me] [all] [(your|the)] "
     "(sensors|sensor readings|sensor values|readings)|what are [all] (your|the) "
     "(sensors|sensor readings|readings|sensor values)|read [out] [all] (your|the) sensors|"
     "(what|which) sensors (do you have|have you got|are there)|what can you (sense|measure))"},
    {"sensor", "how {what:text} (is it|is the room|is this room|are we|are you|is the air) @here"},
    {"sensor",
     "(what is|how is|what was) (the|your|our) [current] {what:text} "
     "[(level|reading|sensor|value|status|percentage)] @here"},
    {"sensor", "what does (the|your) {what:text} [sensor] (say|read|show|measure)"},
    {"sensor", "what {what:text} is it @here"},
    {"sensor", "is it {what:text} @here"},
    {"sensor",
     "(read|check|show|show me|get|what is) [(the|your)] {what:text} "
     "[(level|reading|sensor|value|status)] @here"},
    {"sensor",
     "how much {what:text} (is left|do you have [left]|have you got [left]|is there|is remaining)"},
    {"sensor", "how (full|empty|charged) is (the|your) {what:text}"},
    {"sensor", "how {what:text} is it @where"},
    {"sensor",
     "(what is|how is|check|read) (the|your) {what:text} [(level|reading|sensor)] @where"},
    {"sensor", "is it {what:text} @where"},
    {"sensor", "[(the|your)] {what:text} [(level|reading|sensor)] @here"},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

std::string expand_classes(std::string_view source) {
  std::string out(source);
  // A class may use another one; the table is ours and has no cycle.
  for (bool again = true; again;) {
    again = false;
    for (auto at = out.find('@'); at != std::string::npos; at = out.find('@', at + 1)) {
      const auto end = std::min(out.find_first_of(" ()[]{}|", at), out.size());
      const auto name = std::string_view(out).substr(at, end - at);
      for (const auto& [key, text] : kClasses) {
        if (key != name) continue;
        out.replace(at, end - at, text);
        again = true;
        break;
      }
    }
  }
  return out;
}

}  // namespace gadget::hub::builtin
