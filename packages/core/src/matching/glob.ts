/**
 * Returns whether a glob matches a whole text. Each `*` matches any text, also none; every other character matches itself.
 *
 * A part is searched for once, from where the one before it was found: taking the first place of each leaves the most to the parts
 * after it, so there is nothing to go back to. `a*b*c` in `xaxbxc`: no, because it does not begin with `a`.
 */
export function matchesGlob(glob: string, text: string): boolean {
  // Nearly all globs end here: an error is compared with some hundred of them.
  if (glob[0] !== '*' && glob[0] !== text[0]) return false;
  const [first = '', ...middle] = glob.split('*');
  const last = middle.pop();
  if (last === undefined) return text === glob;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of middle) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - from >= last.length;
}
