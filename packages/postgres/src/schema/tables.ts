/**
 * The tables. A run's body stands in `run` from its submission until it is forgotten, and keeps its id from being
 * given twice. Where the run is on its way stands in exactly one of the others, in rows that are written once and
 * deleted once, so that the tables that claims read stay small. Text sorts by its bytes: fast, and the same everywhere.
 *
 * `record` is what the latest settlement said of the run (counters, instants, errors), in JSON; null where the columns say all.
 * A new run has a short payload in `ready` too, so that its first claim need not look it up.
 */
export const TABLES = `
create sequence back_order;
create sequence front_order;
create sequence end_order;

create table run (
  id text collate "C" primary key,
  lane text collate "C" not null,
  payload text not null,
  submitted_at bigint not null,
  run_at bigint not null,
  key text collate "C",
  key_limit bigint,
  key_waits boolean
);

create table ready (
  lane text collate "C" not null,
  ord bigint not null,
  id text collate "C" not null,
  epoch integer not null,
  submitted_at bigint,
  run_at bigint,
  key text collate "C",
  key_limit bigint,
  key_waits boolean,
  record text,
  payload text,
  primary key (lane, ord)
);
create unique index ready_id on ready (id);

create table parked (like ready);
create unique index parked_id on parked (id);
create index parked_key on parked (key, lane, key_limit, ord);

create table scheduled (
  lane text collate "C" not null,
  run_at bigint not null,
  ord bigint not null,
  id text collate "C" not null,
  epoch integer not null,
  submitted_at bigint,
  key text collate "C",
  key_limit bigint,
  key_waits boolean,
  record text,
  primary key (lane, run_at, ord)
);
create unique index scheduled_id on scheduled (id);

create table inflight (
  id text collate "C" primary key,
  lane text collate "C" not null,
  epoch integer not null,
  claimed_at bigint not null,
  heartbeat_at bigint not null,
  lease_until bigint not null,
  submitted_at bigint,
  run_at bigint,
  key text collate "C",
  key_limit bigint,
  key_waits boolean,
  holds_key boolean not null default false,
  wants_cancel boolean not null default false,
  record text
);
create index inflight_lease on inflight (lease_until);
create index inflight_key on inflight (key) where holds_key;

create table ended (
  id text collate "C" primary key,
  ord bigint not null,
  lane text collate "C" not null,
  state text not null,
  is_dead boolean not null,
  epoch integer not null,
  ended_at bigint not null,
  error_name text,
  result text,
  submitted_at bigint,
  run_at bigint,
  claimed_at bigint,
  record text
);
create index ended_finished on ended (ord) where not is_dead;
create index ended_dead on ended (id) where is_dead;

create table reply (
  worker text collate "C" not null,
  request text collate "C" not null,
  at bigint not null,
  claimed text not null,
  primary key (worker, request)
);
alter table reply alter column claimed set storage external;

create table tally (submitted bigint not null, forgotten bigint not null);

create table waiter (
  id text collate "C" primary key,
  until bigint not null
);
`;
