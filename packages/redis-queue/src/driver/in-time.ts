/** How long closing waits for answers that may never come, in ms. */
const PATIENCE_MS = 5_000;

/** Resolves when the work has ended, or after a time limit. */
export async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
