import type { RequestRecord } from './request-record.ts';

/** Without a terminal a line is printed after this many more settled requests. */
const STEP = 20;

/** Shows the progress of the requests: one line that is rewritten on a terminal, a few plain lines elsewhere. */
export function createProgress(output: NodeJS.WriteStream): (records: readonly RequestRecord[]) => void {
  const startedAt = Date.now();
  return (records) => {
    const settled = records.filter(({ outcome }) => outcome !== 'pending').length;
    const line = progressLine(records, settled, Date.now() - startedAt);
    const isLast = settled === records.length;
    if (output.isTTY) output.write(`\r${line}\u001b[K${isLast ? '\n' : ''}`);
    else if (settled % STEP === 0 || isLast) output.write(`${line}\n`);
  };
}

function progressLine(records: readonly RequestRecord[], settled: number, elapsedMs: number): string {
  const retries = records.reduce((sum, record) => sum + record.retries.length, 0);
  const seconds = (elapsedMs / 1_000).toFixed(1);
  return `${right(settled)} of ${records.length} settled ${right(retries)} retries ${right(seconds)} s`;
}

function right(value: number | string): string {
  return `${value}`.padStart(5);
}
