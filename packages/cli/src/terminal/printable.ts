/**
 * Characters that a terminal would obey instead of showing them: escape sequences, carriage returns, other controls, separators of lines,
 * and marks that turn the direction of what follows. Other format characters are parts of letters and emoji.
 */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Returns a foreign text (an error message, a payload) that can be printed: control characters are written as `\u001b`,
 * so that no text of a run can move the cursor or change the colours.
 */
export function printable(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** A style of `paint`, or a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a style is one
const STYLE_OR_CONTROL = /\u001b\[\d+m|[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Styles, line breaks and tabs. */
const KEPT = /^(?:..+|[\n\t])$/su;

/**
 * Returns what the program prints, as text or as JSON: as {@link printable}, but for its line breaks, tabs and own styles. All output
 * passes here; in JSON such characters are only in strings, which keep their value.
 */
export function printableOutput(text: string): string {
  return text.replace(STYLE_OR_CONTROL, (found) => (KEPT.test(found) ? found : escaped(found)));
}

function escaped(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
