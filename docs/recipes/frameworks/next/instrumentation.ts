export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const { worker } = await import('./queue.ts');
  worker.start();
}
