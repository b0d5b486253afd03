/** How long closing waits for answers that may never come, in ms; the other brokers wait as long. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Waits for work, but not longer than closing may take. @returns whether it has ended */
export async function withinTimeout(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CLOSE_TIMEOUT_MS);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
}
