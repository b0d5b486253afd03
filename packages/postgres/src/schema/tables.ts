/**
 * The tables. A run is one row of `run` from its submission until it is forgotten, and keeps its id from being given
 * twice. Its state stands there; a move rewrites the row in place, in the room that its page keeps free for that, and
 * touches no index as long as the run has no concurrency key and is no dead letter. A claim is no such move: see
 * `isClaimed`.
 *
 * Where runs are found by their ids, the index begins with a hash of the id. Ids ascend, and an index of the ids alone
 * would keep a page for each few hundred runs that ever passed, as long as one of them is still kept; by its hash, a new
 * run takes the room of one that is gone.
 *
 * The other tables say what is next, in rows that are written once and deleted once: what is ready, what waits for its
 * key or for its time, what each claim holds (until its lease ends at the earliest), what has finished, oldest first, and
 * what has finished and is kept for a caller that waits for its result. `kept_key` holds ids of forgotten runs that users gave.
 * Text sorts by its bytes: fast, and the same everywhere.
 *
 * States, one letter each: \`w\` waits in its lane or for its key (or is claimed), \`s\` is scheduled, \`r\` is started; the
 * ends are those of `settle_runs`. `record` is what the latest settlement said of the run (counters, instants, errors), in
 * JSON; null where the columns say all.
 */
export const TABLES = `
create sequence back_order;
create sequence front_order start 20000 increment 20000;
create sequence end_order;

create table run (
  id text collate "C" not null,
  state "char" not null,
  epoch bigint not null,
  ord bigint not null,
  lane text collate "C" not null,
  payload text not null,
  submitted_at bigint,
  run_at bigint,
  claimed_at bigint,
  heartbeat_at bigint,
  lease_until bigint,
  ended_at bigint,
  key text collate "C",
  key_limit bigint,
  key_waits boolean,
  holds_key boolean not null default false,
  wants_cancel boolean not null default false,
  is_dead boolean not null default false,
  error_name text,
  result text,
  record text,
  is_keyed boolean not null default false,
  keep_ms bigint,
  created_at bigint,
  hash integer not null generated always as (hashtext(id)) stored,
  primary key (hash, id)
) with (fillfactor = 40);
create index run_dead on run (id) where is_dead;
create index run_key on run (key) where holds_key;

create table ready (
  lane text collate "C" not null,
  ord bigint not null,
  id text collate "C" not null,
  key text collate "C",
  primary key (lane, ord)
);

create table parked (
  key text collate "C" not null,
  lane text collate "C" not null,
  key_limit bigint not null,
  ord bigint not null,
  id text collate "C" not null,
  primary key (key, lane, key_limit, ord)
);

create table scheduled (
  lane text collate "C" not null,
  run_at bigint not null,
  ord bigint not null,
  id text collate "C" not null,
  primary key (lane, run_at, ord)
);

create table claim (
  worker text collate "C" not null,
  request text collate "C" not null,
  at bigint not null,
  until bigint not null,
  ids text[] not null,
  ords bigint[] not null,
  claimed text,
  lanes text[],
  primary key (worker, request)
);
create index claim_until on claim (until);
alter table claim alter column ids set storage external, alter column claimed set storage external;

create table finished (
  ord bigint primary key,
  count bigint not null,
  ids text[] not null
);
alter table finished alter column ids set storage external;

create table awaited (
  id text collate "C" not null,
  until bigint not null,
  ord bigint not null,
  hash integer not null generated always as (hashtext(id)) stored,
  primary key (hash, id)
);
create index awaited_until on awaited (until);

create table kept_key (
  id text collate "C" not null,
  until bigint not null,
  hash integer not null generated always as (hashtext(id)) stored,
  primary key (hash, id)
);
create index kept_key_until on kept_key (until);

create table tally (submitted bigint not null, forgotten bigint not null);

create table waiter (
  id text collate "C" primary key,
  until bigint not null,
  for_results boolean not null default false
);

create table attendance (
  worker text collate "C" primary key,
  until bigint not null,
  lanes text[] not null
);

create type location as (
  id text collate "C", state "char", ord bigint, lane text collate "C", run_at bigint, key text collate "C",
  key_limit bigint, is_dead boolean
);
`;
