/**
 * `npm run test:real -- faults`: real faults on real servers through real drivers. Each error has to be known as not applied, as ambiguous
 * or as permanent.
 */
import { checkNats } from './faults/nats.ts';
import { checkPgbouncer } from './faults/pgbouncer.ts';
import { checkRabbitmq } from './faults/rabbitmq.ts';
import { checkRedis } from './faults/redis.ts';
import { checkMariadb, checkPostgres } from './faults/sql-databases.ts';
import { checkSqlite } from './faults/sqlite.ts';

await checkPostgres();
await checkPgbouncer();
await checkMariadb();
await checkSqlite();
await checkRedis();
await checkNats();
await checkRabbitmq();
