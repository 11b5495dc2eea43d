import { useState } from "react";
import { Segmented } from "../../components/Field";
import { Header } from "../../components/Header";
import { Pane } from "../../components/Pane";
import { useView } from "../../lib/view";
import { libraryName, useText } from "../../text";
import { Questions } from "./Questions";
import { Results } from "./Results";
import { Tune } from "./Tune";

type Part = "results" | "questions" | "tune";

/** How well the search of a library answers questions of its own. */
export function QualityView() {
  const text = useText();
  const library = useView((view) => view.library);
  const [part, setPart] = useState<Part>("results");
  const parts: Part[] = ["results", "questions", "tune"];
  return (
    <Pane
      head={
        <Header about={libraryName(text, library)} column title={text.nav.quality}>
          <Segmented
            change={setPart}
            label={text.quality.part.label}
            options={parts.map((value) => ({ value, label: text.quality.part[value] }))}
            value={part}
          />
        </Header>
      }
    >
      {part === "results" && <Results key={library} library={library} show={setPart} />}
      {part === "questions" && <Questions key={library} library={library} />}
      {part === "tune" && <Tune key={library} library={library} show={setPart} />}
    </Pane>
  );
}
