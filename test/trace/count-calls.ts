import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** The functions of one file that were called. */
export interface FileCalls {
  /** Its path below `packages/`, such as `worker/src/engine/engine.ts`. */
  readonly file: string;
  /** How often each function was called, the most frequent first. */
  readonly functions: readonly FunctionCalls[];
}

/** How often one function was called. */
export interface FunctionCalls {
  /** Empty for a function without a name. */
  readonly name: string;
  readonly calls: number;
}

/** What bundlers add to the sources, and what runs once for each class or module. */
const NOT_WRITTEN = new Set(['__name', '<static_initializer>', '<instance_members_initializer>']);

/** Counts calls of the functions below `packages/` of this thread, by V8's own counters. */
export class CallCounter {
  readonly #session = new Session();

  /** Begins to count. Code that is compiled from now on is slower. */
  async open(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** Returns the calls since it was opened, or since this was called last. */
  async take(): Promise<readonly FileCalls[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result.flatMap(({ url, functions }) => {
      const file = fileOf(url);
      if (file === undefined) return [];
      const called = functions.flatMap(({ functionName: name, ranges: [range] }) => {
        // The range from 0 on is the module itself.
        const isWritten = range !== undefined && range.startOffset > 0 && !NOT_WRITTEN.has(name);
        return isWritten && range.count > 0 ? [{ name, calls: range.count }] : [];
      });
      return called.length === 0 ? [] : [{ file, functions: called.sort((a, b) => b.calls - a.calls) }];
    });
  }

  /** Counts no longer. */
  close(): void {
    this.#session.disconnect();
  }
}

/** Returns the path below `packages/` of a script that is a source of ours. */
function fileOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = fileURLToPath(new URL(url)).replaceAll('\\', '/');
  return /\/packages\/([^/]+\/src\/.+)$/.exec(path)?.[1];
}

/** How many calls these are. */
export function sumOf(files: readonly FileCalls[]): number {
  return files.reduce((sum, { functions }) => functions.reduce((of, { calls }) => of + calls, sum), 0);
}
