/** How long a close waits for answers that may never come, in ms. */
const PATIENCE_MS = 5_000;

/** Resolves when the work is done, or without it when that takes too long: a server that is gone answers nothing. */
export async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
