/** Returns the filter of a queue for `send-email` or `send-email@2`. */
export function taskFilter(text: string | undefined): { readonly task?: string; readonly version?: string } {
  if (text === undefined) return {};
  const at = text.lastIndexOf('@');
  return at <= 0 ? { task: text } : { task: text.slice(0, at), version: text.slice(at + 1) };
}
