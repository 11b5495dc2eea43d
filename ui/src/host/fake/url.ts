/** The stand-in in a browser. */
import { chatHandlers } from "./chats";
import { type FakeHost, fakeHost } from "./index";
import type { Fixture } from "./store";

/** The stand-in as the address asks for it: `?fixture=busy&lang=zh&view=ask&q=…`. */
export async function fakeHostFromUrl(query: string): Promise<FakeHost> {
  const wanted = new URLSearchParams(query);
  const language = wanted.get("lang") === "zh" ? "zh" : "en";
  const host = fakeHost({
    fixture: (wanted.get("fixture") as Fixture | null) ?? "full",
    tongue: language,
    delay: Number(wanted.get("delay") ?? 20),
    pace: Number(wanted.get("pace") ?? 35),
    now: Date.now(),
  });
  if (host.store.fixture === "full" || host.store.fixture === "busy") {
    const questions =
      language === "zh"
        ? ["押金什么时候退还？", "水损要在几天内报案？", "两路检索比一路好多少？"]
        : [
            "When is the deposit returned?",
            "How soon must water damage be reported?",
            "How much better are two legs than one?",
          ];
    const quick = chatHandlers({ ...host.context, pace: 0, changed: () => {} });
    for (const question of questions.reverse())
      await quick.ask?.({ question, scope: { libraries: ["default"] } }, {});
  }
  const { usePreferences } = await import("../../lib/preferences");
  const { useView } = await import("../../lib/view");
  usePreferences.setState({
    language,
    theme: wanted.get("theme") === "dark" ? "dark" : wanted.get("theme") === "light" ? "light" : "system",
  });
  useView.setState({
    library: wanted.get("library") ?? "default",
    ...(wanted.has("view") ? { view: wanted.get("view") as never } : {}),
    query: wanted.get("q") ?? "",
    everywhere: wanted.has("everywhere"),
  });
  Object.assign(window, { carrel: host });
  return host;
}
