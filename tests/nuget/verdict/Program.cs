// Which suspects fail a test: reports of `heapdrift check --format=json`, cut down to the keys that the verdict reads.
using Heapdrift.Testing;

const int Iterations = 100;
int failures = 0;

string Suspect(string counted, string kind = "count", string type = "App.Order", string also = "", string subject = "", string owner = "null") =>
    $$"""{"suspect":"{{kind}}","counted":{{counted}},"counted_type":"{{type}}","also":[{{also}}],"subject":"{{subject}}","owner":{{owner}}}""";

string Rule(string status, string source, string rule) => $$"""{"status":"{{status}}","source":"{{source}}","rule":"{{rule}}"}""";

LeakVerdict Judge(string suspects, string rules = "", string verdict = "fail") =>
    LeakVerdict.Parse($$"""{"verdict":"{{verdict}}","suspects":[{{suspects}}],"rules":[{{rules}}]}""", Iterations);

void Expect(string what, LeakVerdict found, bool isPass, string? suspect = null, bool isInconclusive = false)
{
    if (found == new LeakVerdict(isPass, isInconclusive, suspect))
        return;
    Console.WriteLine($"{what}: {found}");
    failures++;
}

// Small growth: half an object for each iteration in every step, or the same number in each.
Expect("one for each", Judge(Suspect("[0,100,200,300]")), false, "App.Order");
Expect("one for every second", Judge(Suspect("[7,57,108,158]")), false, "App.Order");
Expect("half in one step only", Judge(Suspect("[0,100,149,249]")), true);
Expect("half in no step", Judge(Suspect("[0,49,97,146]")), true);
Expect("the same in each step", Judge(Suspect("[0,3,6,9]")), false, "App.Order");
Expect("the same, and none", Judge(Suspect("[5,5,5,5]")), true);
Expect("the same, and fewer", Judge(Suspect("[9,6,3,0]")), true);
Expect("large growth", Judge(Suspect("[0,1,1,2]", kind: "size")), false, "App.Order");

// The first that counts is named.
Expect("second of two", Judge(Suspect("[0,1,1,2]") + "," + Suspect("[0,1,2,3]", type: "App.Cart")), false, "App.Cart");

// Objects of the test run itself, by type, owner, or static variable; and what is a part of them.
Expect("a runner's type", Judge(Suspect("[0,100,200]", type: "Xunit.Result")), true);
Expect("a runner's type, large", Judge(Suspect("[0,100,200]", kind: "size", type: "NUnit.Result")), true);
Expect("a type like a runner's", Judge(Suspect("[0,100,200]", type: "XunitShop.Result")), false, "XunitShop.Result");
Expect("a runner's static", Judge(Suspect("[0,100,200]", subject: "[static var TUnit.Engine.s_all]")), true);
Expect("a runner's owner", Judge(Suspect("[0,100,200]", owner: """{"type":"Microsoft.Testing.Platform"}""")), true);
Expect("an owner of the program", Judge(Suspect("[0,100,200]", owner: """{"type":"App.Cache"}""")), false, "App.Order");
string runner = Suspect("[0,100,200]", type: "Xunit.Result", also: "\"System.String\",\"App.Order\"") + ",";
Expect("a string along with them", Judge(runner + Suspect("[0,100,200]", type: "System.String")), true);
Expect("the program's along with them", Judge(runner + Suspect("[0,100,200]")), false, "App.Order");
Expect("another string", Judge(runner + Suspect("[0,100,200]", type: "System.Char[]")), false, "System.Char[]");

// A budget of the program fails by itself; the rules about suspects, and the usual ones, do not.
Expect("a budget", Judge("", Rule("fail", "config", "heap_growth")), false);
Expect("a budget that is kept", Judge("", Rule("pass", "config", "heap_growth")), true);
Expect("the usual budget", Judge("", Rule("fail", "default", "heap_growth")), true);
Expect("a rule about suspects", Judge("", Rule("fail", "config", "suspects.max")), true);

// Other verdicts stay.
Expect("pass", Judge(Suspect("[0,100,200]"), verdict: "pass"), true);
Expect("inconclusive", Judge(Suspect("[0,100,200]"), verdict: "inconclusive"), false, isInconclusive: true);

return failures;
