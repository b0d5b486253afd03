/** Characters that a terminal would obey instead of showing them: escape sequences, carriage returns, other controls. */
const CONTROLS = /\p{Cc}/gu;

/**
 * Returns a foreign text (an error message, a payload) that can be printed: control characters are written as `\u001b`,
 * so that no text of a run can move the cursor or change the colours.
 */
export function printable(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
