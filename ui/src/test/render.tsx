/** The whole window over the stand-in host. */
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "../app/App";
import { type FakeHost, type FakeOptions, fakeHost } from "../host/fake";
import { usePreferences } from "../lib/preferences";
import { useView, type View } from "../lib/view";

export function open(
  options: FakeOptions = {},
  view: Partial<View> = {},
  prepare: (host: FakeHost) => void = () => {},
) {
  usePreferences.setState({ language: options.tongue ?? "en", theme: "light" });
  useView.setState(view);
  const host = fakeHost(options);
  prepare(host);
  const shown = render(<App host={host} />);
  const calls = (name: string) => host.calls.filter((call) => call.name === name);
  return { host, calls, user: userEvent.setup({ delay: null, pointerEventsCheck: 0 }), ...shown };
}
