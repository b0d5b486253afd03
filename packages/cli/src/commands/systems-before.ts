/**
 * Returns the system that each argument is read with: `--from bullmq a b` is `['bullmq', undefined]`.
 *
 * @param tokens - the words of a command whose only option with a value is `--from`
 * @returns one entry an argument; and `'after'`: the system that no argument follows
 */
export function systemsBefore(tokens: readonly string[]): {
  readonly systems: readonly (string | undefined)[];
  readonly after?: string;
} {
  const systems: (string | undefined)[] = [];
  const end = tokens.includes('--') ? tokens.indexOf('--') : tokens.length;
  let given: string | undefined;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    if (index < end && token === '--from') given = tokens[++index];
    else if (index < end && token.startsWith('--from=')) given = token.slice('--from='.length);
    else if (index === end || (index < end && token.length > 1 && token.startsWith('-'))) continue;
    else {
      systems.push(given);
      given = undefined;
    }
  }
  return given === undefined ? { systems } : { systems, after: given };
}
