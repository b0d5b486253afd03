import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is right to do after a recorded error; `policy`: either is. */
export interface RecordedScene {
  readonly driver: string;
  readonly fault: string;
  readonly error: unknown;
  readonly class: 'not-applied' | 'rolled-back' | 'ambiguous' | 'permanent' | 'unknown';
  readonly retry: boolean | 'policy';
}

/** Reads `errors/*.jsonl`: the scenes of each file by its name. */
export function readScenes(
  folder: string,
): readonly (readonly [file: string, scenes: readonly RecordedScene[]])[] {
  return filesOf(join(folder, 'errors'), '.jsonl').map(([file, text]) => [
    file,
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  ]);
}

/** What a client threw when the server failed as the scenario is named. */
export interface RecordedClient {
  readonly client: readonly string[];
  readonly scenarios: Readonly<Record<string, { readonly shape: unknown }>>;
}

/** Reads `clients/*.json`. */
export function readClients(folder: string): readonly (readonly [file: string, client: RecordedClient])[] {
  return filesOf(join(folder, 'clients'), '.json').map(([file, text]) => [file, JSON.parse(text)]);
}

function filesOf(folder: string, ending: string): readonly (readonly [file: string, text: string])[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(ending));
  return files
    .sort()
    .map((file) => [file.slice(0, -ending.length), readFileSync(join(folder, file), 'utf8')]);
}
