import catalogue from "../../../assets/models.json";
import { PROBLEM_CODES, REASON_CODES } from "../bindings/commands";
import { CHORDS } from "../lib/chords";
import { CATALOGUES } from "../text";
import { problemSentence, reasonSentence } from "../text/problems";

type Tree = { [key: string]: unknown };

function keys(tree: Tree, prefix = ""): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === "object" && value !== null
      ? keys(value as Tree, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  );
}

function sentences(tree: Tree, prefix = ""): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]): [string, string][] => {
    if (typeof value === "string") return [[`${prefix}${key}`, value]];
    if (typeof value === "function") {
      const made = value.length < 2 && prefix === "problem." ? value({ name: "X" }) : value(3, 5);
      return [[`${prefix}${key}`, String(made)]];
    }
    return sentences(value as Tree, `${prefix}${key}.`);
  });
}

/** Keys whose Chinese is rightly without Chinese characters. */
const SIGNS =
  /^(locale|dateLocale|comma|colon|key\.|adding\.some|library\.row|command\.language|models\.(urlHint|keyHint|progress))/;

describe("the catalogues", () => {
  const { en, zh } = CATALOGUES;

  it("have the same keys", () => {
    expect(keys(zh as Tree).sort()).toEqual(keys(en as Tree).sort());
  });

  it("are written in their language, and say something everywhere", () => {
    for (const [key, sentence] of sentences(zh as Tree)) {
      expect(sentence, key).not.toBe("");
      if (!SIGNS.test(key)) expect(sentence, key).toMatch(/\p{Script=Han}/u);
    }
    for (const [key, sentence] of sentences(en as Tree)) {
      expect(sentence, key).not.toBe("");
      if (key !== "command.language") expect(sentence, key).not.toMatch(/\p{Script=Han}/u);
      expect(sentence, key).not.toMatch(/!/);
    }
  });

  it("say what each model of the catalogue is good for", () => {
    const ids = catalogue.models.map((model) => model.id).sort();
    for (const text of [en, zh]) expect(Object.keys(text.models.about).sort()).toEqual(ids);
  });

  it.each(PROBLEM_CODES)("have a sentence for the problem %s", (code) => {
    for (const text of [en, zh]) {
      const { message } = problemSentence(text, {
        code,
        message: "",
        hint: null,
        details: {},
        retryable: false,
      });
      expect(message).not.toBe(text.problem.unknown);
      expect(message.length).toBeGreaterThan(3);
    }
  });

  it.each(REASON_CODES)("have a sentence for the reason %s", (code) => {
    for (const text of [en, zh]) expect(reasonSentence(text, code, null)).not.toBe("");
  });

  it("fall back to the program's own words for codes they do not know", () => {
    const problem = {
      code: "brand_new",
      message: "the flux is low",
      hint: "wait",
      details: {},
      retryable: true,
    };
    expect(problemSentence(zh, problem)).toEqual({ message: "The flux is low.", hint: "wait" });
    expect(reasonSentence(zh, "brand_new", "the flux is low")).toBe("the flux is low");
  });

  it("give every command a key of its own", () => {
    const chords = Object.values(CHORDS);
    expect(new Set(chords).size).toBe(chords.length);
  });
});
