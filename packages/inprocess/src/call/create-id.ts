/** A name that no other call has; from the given source where there is one, so that tests can foresee it. */
export function createId(random?: () => number): string {
  const { crypto } = globalThis as { readonly crypto?: { readonly randomUUID?: () => string } }; // browsers: only over https
  if (random === undefined && crypto?.randomUUID !== undefined) return crypto.randomUUID();
  const draw = random ?? Math.random;
  return Array.from({ length: 32 }, () => Math.floor(draw() * 16).toString(16)).join('');
}
