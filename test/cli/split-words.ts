/** Returns the words of a command line as a shell would pass them: those in quotes are one word. */
export function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, word]) => single ?? double ?? word ?? '',
  );
}
