import { Check, FolderOpen, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { DoctorReport } from "../../bindings/types";
import { Button, IconButton } from "../../components/Button";
import { Failed } from "../../components/Empty";
import { Segmented, Select } from "../../components/Field";
import { Header } from "../../components/Header";
import { Icon } from "../../components/Icon";
import { Kbd } from "../../components/Kbd";
import { Column, Pane } from "../../components/Pane";
import { CHORDS, type CommandId } from "../../lib/chords";
import { type LanguageChoice, type ThemeChoice, usePreferences } from "../../lib/preferences";
import { useHost, useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { useSettings } from "../../queries/useSettings";
import { libraryName, type Text, useText } from "../../text";
import styles from "./SettingsView.module.css";

export function SettingsView() {
  const text = useText();
  const host = useHost();
  const { language, theme } = usePreferences();
  const settings = useSettings();
  const info = useRead("app.info", {});
  const kept = useRead("settings.get", {});

  return (
    <Pane head={<Header column title={text.nav.settings} />}>
      {info.isError && !info.data ? (
        <Failed error={info.error} retry={info.refetch} />
      ) : (
        <Column above="roomy">
          <Section title={text.settings.general}>
            <Line hint={text.settings.languageHint} label={text.settings.language}>
              <Select
                change={(value) => settings.setLanguage(value as LanguageChoice)}
                label={text.settings.language}
                options={[
                  { value: "system", label: text.settings.system },
                  { value: "en", label: "English" },
                  { value: "zh", label: "简体中文" },
                ]}
                testid="setting-language"
                value={language}
              />
            </Line>
            <Line label={text.settings.theme}>
              <Segmented<ThemeChoice>
                change={settings.setTheme}
                label={text.settings.theme}
                options={[
                  { value: "system", label: text.settings.system },
                  { value: "light", label: text.settings.light },
                  { value: "dark", label: text.settings.dark },
                ]}
                value={theme}
              />
            </Line>
          </Section>
          <Section title={text.settings.models}>
            <Line
              hint={info.data?.device_note ? text.settings.deviceAbsent : text.settings.deviceHint}
              label={text.settings.device}
            >
              <Select
                change={settings.setDevice}
                label={text.settings.device}
                options={Object.entries(text.settings.devices).map(([value, label]) => ({ value, label }))}
                testid="setting-device"
                value={kept.data?.settings.device ?? "auto"}
              />
            </Line>
          </Section>
          <Section title={text.settings.storage}>
            <Line hint={text.settings.dataHint} label={text.settings.data}>
              <Path path={info.data?.data} reveal={host.reveal} />
            </Line>
            <Line label={text.settings.modelsFolder}>
              <Path path={info.data?.models} reveal={host.reveal} />
            </Line>
          </Section>
          <Section title={text.settings.health}>
            <Doctor />
          </Section>
          <Section title={text.settings.keys}>
            <ul className={styles.keys}>
              {(Object.keys(CHORDS) as CommandId[]).map((id) => (
                <li key={id}>
                  <span>{text.command[id]}</span>
                  <Kbd chord={CHORDS[id]} />
                </li>
              ))}
            </ul>
          </Section>
          <Section title={text.settings.about}>
            <p className={styles.about}>
              <strong>Carrel</strong> {info.data && text.settings.version(info.data.version)}
            </p>
            <p className={styles.about}>{text.settings.aboutBody}</p>
            <p className={styles.about}>{text.settings.licence}</p>
          </Section>
        </Column>
      )}
    </Pane>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className={styles.section}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}

function Line({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className={styles.line}>
      <div className={styles.label}>
        <p>{label}</p>
        {hint && <p className={styles.hint}>{hint}</p>}
      </div>
      {children}
    </div>
  );
}

function Path({ path, reveal }: { path: string | undefined; reveal: (path: string) => Promise<void> }) {
  const text = useText();
  if (!path) return null;
  return (
    <span className={styles.path}>
      <code data-tip={path}>{path}</code>
      <IconButton
        icon={FolderOpen}
        label={text.action.reveal}
        onClick={() => void reveal(path).catch(() => {})}
        small
      />
    </span>
  );
}

/** What was checked, and what is right with it. A check of one library among several carries its name: `default/ledger`. */
function checkWords(text: Text, name: string): { name: string; well: string | undefined } {
  const at = name.lastIndexOf("/");
  const kind = name.slice(at + 1);
  const words: { name: string; well: string } | undefined = (
    text.settings.checks as Record<string, { name: string; well: string }>
  )[kind];
  const said = words?.name ?? kind;
  return {
    name: at < 0 ? said : `${libraryName(text, name.slice(0, at))} · ${said}`,
    well: words?.well,
  };
}

/** Looks at everything, mends what can be mended, and says what it found. */
function Doctor() {
  const text = useText();
  const run = useDo();
  const [report, setReport] = useState<DoctorReport | null>(null);
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    setReport((await run("doctor", { repair: true })) ?? null);
    setBusy(false);
  };
  return (
    <>
      <Line
        hint={text.settings.checkHint}
        label={
          report ? (report.healthy ? text.settings.healthy : text.settings.unhealthy) : text.settings.check
        }
      >
        <Button data-testid="doctor" disabled={busy} onClick={check}>
          {busy ? text.settings.checking : text.settings.check}
        </Button>
      </Line>
      {report && (
        <ul aria-live="polite" className={styles.checks}>
          {report.checks.map((one) => {
            const { name, well } = checkWords(text, one.name);
            return (
              <li key={one.name}>
                <span className={one.ok ? styles.ok : styles.bad}>
                  <Icon of={one.ok ? Check : TriangleAlert} />
                </span>
                <span className={styles.check}>{name}</span>
                <span className={styles.message}>
                  {(one.ok && !one.mended && !one.absent && well) || one.message}
                  {one.mended && ` (${text.settings.mended})`}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
