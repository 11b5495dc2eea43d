/** Words in the making (Chinese, Japanese, Korean input) are not yet words: no search, no sending, no shortcut meanwhile. */
interface KeyLike {
  isComposing?: boolean;
  keyCode: number;
}

/** Whether a key belongs to the input method. WebKit reports the closing Enter after the composition, with key code 229. */
export function composing(event: KeyLike | { nativeEvent: KeyLike }): boolean {
  const key = "nativeEvent" in event ? event.nativeEvent : event;
  return key.isComposing === true || key.keyCode === 229;
}
