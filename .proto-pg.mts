import { openPostgres } from './test/support/servers/postgres.ts';
export async function startPostgres() { const server = await openPostgres(); return { url: server.url, stop: () => server.stop() }; }
