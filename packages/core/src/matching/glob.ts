/**
 * Returns whether a glob matches a whole text. Each `*` matches any text, also none; every other character matches itself.
 *
 * A part is searched for once, from where the one before it was found: taking the first place of each leaves the most to the parts
 * after it, so there is nothing to go back to. `a*b*c` in `xaxbxc`: no, because it does not begin with `a`.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const first = glob.indexOf('*');
  if (first === -1) return text === glob;
  // Nearly all globs end here: an error is compared with some hundred of them, and slices cost more than letters.
  const last = glob.lastIndexOf('*') + 1;
  if (first > 0 && text.charCodeAt(0) !== glob.charCodeAt(0)) return false;
  if (last < glob.length && text.charCodeAt(text.length - 1) !== glob.charCodeAt(glob.length - 1))
    return false;
  const ending = glob.slice(last);
  if (!text.startsWith(glob.slice(0, first)) || !text.endsWith(ending)) return false;
  const end = text.length - ending.length;
  if (last - first === 1) return first <= end;
  let from = first;
  for (const part of glob.slice(first + 1, last - 1).split('*')) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= end;
}
