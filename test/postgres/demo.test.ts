import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { BALANCED, killDemo, runDemo } from './killed-demo.ts';

describeOnPrivatePostgres('the demo on the server of DATABASE_URL', () => {
  let server: PrivatePostgres;
  beforeAll(async () => {
    server = await startPrivatePostgres();
  });
  afterAll(() => server.stop());

  it('continues with what a killed demo left there', async () => {
    const signal = await killDemo(server.url, 'Postgres, in the schema retry_demo of DATABASE_URL');

    const { code, text } = await runDemo(server.url, ['--resume']);

    expect(signal).toBe('SIGKILL');
    expect(text).toContain('resumed in a queue in Postgres');
    expect(text).toContain(BALANCED);
    expect(code).toBe(0);
  });
});
