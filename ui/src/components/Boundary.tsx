import { Component, type ReactNode } from "react";
import { Failed } from "./Empty";

/** A fault of one view stays in that view; trying again draws it anew. */
export class Boundary extends Component<{ children: ReactNode; about?: string }, { error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: { about?: string }) {
    if (before.about !== this.props.about && this.state.error !== null) this.setState({ error: null });
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <Failed error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
