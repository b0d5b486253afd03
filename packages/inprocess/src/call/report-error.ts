/** Hands on what a hook or a listener threw; never throws. */
export function report(error: unknown, reporter?: (error: unknown) => unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void }; // not in Node
  try {
    // A reporter that throws, or rejects, has nobody left to tell.
    Promise.resolve((reporter ?? reportError ?? console.error)(error)).catch(ignore);
  } catch {
    ignore();
  }
}

function ignore(): void {}
