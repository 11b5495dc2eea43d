import { useQueryClient } from "@tanstack/react-query";
import { Check, Download, RotateCw, Trash2, X } from "lucide-react";
import { useState } from "react";
import type { ModelDto, ModelTest } from "../../bindings/types";
import { choose } from "../../components/asking";
import { Button, IconButton } from "../../components/Button";
import { Icon } from "../../components/Icon";
import { MenuButton } from "../../components/Menu";
import { Progress } from "../../components/Progress";
import { toProblem } from "../../host";
import { bytes } from "../../lib/format";
import { download, useDownloads } from "../../queries/downloads";
import { useHost, useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import { problemSentence } from "../../text/problems";
import styles from "./ModelsView.module.css";

/** A model: what it is, whether it is here, and what can be done with it. */
export function ModelRow({ model }: { model: ModelDto }) {
  const text = useText();
  const host = useHost();
  const client = useQueryClient();
  const run = useDo();
  const running = useDownloads((state) => state.running[model.id]);
  const endpoints = useRead("endpoint.list", {}, { enabled: model.state === "remote" }).data?.endpoints;
  const endpoint = endpoints?.find((one) => one.id === model.id);
  const [test, setTest] = useState<ModelTest | "running" | null>(null);

  const { state } = model;
  const usable = state === "installed" || state === "remote";
  const wrong = state === "damaged" || state === "left_out" ? state : null;
  const get = () => void download(host, client, text, model.id);
  const tryIt = async () => {
    setTest("running");
    try {
      setTest(await host.call("models.test", { id: model.id }));
    } catch (error) {
      setTest({ ok: false, message: problemSentence(text, toProblem(error)).message, ms: 0 });
    }
  };
  const remove = async () => {
    const remote = state === "remote";
    const answer = await choose({
      title: text.models.removeTitle(model.name),
      body: remote ? text.models.removeEndpointBody : text.models.removeBody(bytes(text, model.bytes)),
      choices: [{ id: "remove", label: text.action.remove, kind: "danger" }],
    });
    if (answer === "remove") await run(remote ? "endpoint.remove" : "models.remove", { id: model.id });
  };
  const use = () => void run("settings.set", { changes: { language_model: model.id } });

  const about =
    state === "left_out"
      ? text.models.leftOutBody
      : state === "remote"
        ? text.models.aboutEndpoint
        : ((text.models.about as Record<string, string>)[model.id] ?? model.description);
  const facts = [
    endpoint?.url,
    model.bytes > 0 && bytes(text, model.bytes),
    model.memory > 0 && text.models.memory(bytes(text, model.memory)),
    model.licence,
    state !== "remote" && languages(text, model.languages),
  ].filter(Boolean);
  return (
    <li className={styles.model} data-model={model.id} data-state={state} data-testid="model">
      <div className={styles.body}>
        <p className={styles.head}>
          <span className={styles.name}>{model.name}</span>
          {model.chosen && usable && (
            <span className={styles.chosen}>
              <Check aria-hidden="true" size={12} strokeWidth={2} />
              {text.models.inUse}
            </span>
          )}
          {wrong && <span className={styles.damaged}>{text.models.state[wrong]}</span>}
        </p>
        {about && <p className={styles.about}>{about}</p>}
        <p className={styles.facts}>{facts.join(" · ")}</p>
        {running && (
          <div className={styles.progress}>
            <Progress done={running.done} label={model.name} total={running.total || null} />
            <span>
              {text.models.progress(bytes(text, running.done), bytes(text, running.total || model.bytes))}
            </span>
          </div>
        )}
        {test && (
          <p className={styles.test} data-testid="model-test" role="status">
            {test === "running" ? (
              text.models.testing
            ) : (
              <>
                <span className={test.ok ? styles.ok : styles.fails}>
                  <Icon of={test.ok ? Check : X} />
                </span>
                {test.ok
                  ? `${text.models.works(`${test.ms.toFixed(0)} ms`)} · ${test.message}`
                  : text.models.fails(test.message)}
              </>
            )}
          </p>
        )}
      </div>
      <div className={styles.actions}>
        {running ? (
          <IconButton icon={X} label={text.models.cancel} onClick={running.cancel} />
        ) : state === "downloading" ? (
          <span className={styles.facts}>{text.models.state.downloading}</span>
        ) : usable ? (
          <>
            {!model.chosen && model.role === "language_model" && (
              <Button onClick={use}>{text.models.use}</Button>
            )}
            <Button disabled={test === "running"} kind="quiet" onClick={tryIt}>
              {text.models.test}
            </Button>
          </>
        ) : state === "left_out" ? (
          <Button disabled={test === "running"} icon={RotateCw} onClick={tryIt}>
            {text.action.retry}
          </Button>
        ) : (
          <Button data-testid="model-get" icon={Download} onClick={get}>
            {state === "damaged" ? text.models.getAgain : text.models.get}
          </Button>
        )}
        {(usable || wrong) && !running && (
          <MenuButton
            items={[
              (state === "installed" || state === "left_out") && {
                label: text.models.getAgain,
                icon: RotateCw,
                run: get,
              },
              { label: text.action.remove, icon: Trash2, danger: true, run: () => void remove() },
            ]}
            label={text.nav.more(model.name)}
          />
        )}
      </div>
    </li>
  );
}

function languages(text: ReturnType<typeof useText>, codes: string[]): string {
  if (codes.length === 0 || codes.length > 4) return text.models.languagesMany;
  const names = new Intl.DisplayNames(text.locale, { type: "language" });
  return codes.map((code) => names.of(code) ?? code).join(text.comma);
}
