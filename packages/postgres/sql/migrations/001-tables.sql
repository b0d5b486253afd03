-- Step 1: the tables.
--
-- `run` has one row for each run from its submission until it is forgotten, which also keeps its id
-- from being used twice. A move updates the row in place: `fillfactor` leaves room on its page, and
-- no index changes unless the run has a concurrency key or is a dead letter. A claim does not write
-- the row: see `isClaimed`. First come the indexed columns, which each update compares, of a fixed
-- width first: their place in a row is known. The columns that a settlement changes come last,
-- because the log of an update leaves out what the old and the new row begin with; of those, the
-- narrow ones come before the wide ones, which begin at a multiple of eight bytes.
--
-- - `state`: one letter. `w` is submitted (or claimed), `s` scheduled, `r` started; the others are
--   end states.
-- - `extras`: JSON of what few runs are submitted with (a policy, an origin, a context, what they
--   brought along); never changes
-- - `holds_key`: the run takes a slot of its key; with `keeps_key` also while it waits to start
--   again
-- - `holds_lane`: the run, which has a key of its own, also takes a slot of its lane; null where it
--   has taken none as that was full, and where a settlement has freed it
-- - `error_group`, `spent`: of a dead letter, what it is counted under, and with how many attempts
-- - `created_at`, `run_at`: null while they are the same as `submitted_at`, or as those of the
--   record
-- - `heartbeat_at`: null while it is the same as `claimed_at`, or as that of the record.
-- - `record`: JSON of the latest settlement (counters, instants, errors); null where the columns
--   are enough.
-- - `hash`: the first column of each index by id. Ids ascend, so in an index by id alone a single
--   kept run would hold on to a page of several hundred forgotten ones. By hash, a new run takes
--   the space of a forgotten one.
--
-- Rows of the other tables are inserted once and deleted once:
--
-- - `ready`, `parked`, `scheduled`: runs that wait in a lane, for a concurrency key, for their time
-- - `behind`: runs that wait for the turn of their fairness key
-- - `turn`: a row for each run that has such a turn, see `enter_by_turn`
-- - `claim`: runs leased by each claim, at least until the lease ends
-- - `finished`: ended runs, oldest first; `awaited`: ended runs whose result a caller waits for
-- - `long_finished`: how many bytes the long payloads and results of a row of `finished` have,
--   where there are any
-- - `kept_key`: ids of forgotten runs that a user chose
-- - `tally`: runs created and forgotten
-- - `error_group`: what has come into a group of dead letters, or has left it (then negative); a
--   group is the sum of its rows. No row is updated: workers whose runs fail with the same error
--   would wait for one another. `is_sum` is a sum of earlier rows, `seq` their order.
-- - `start_limit`: the starts of each limit that all workers share, by bucket: see
--   `reserve_one`; updated by each reservation
-- - `unique_key`: which run has a unique key, or had it; updated when another run takes it. Whether
--   the run still has it is seen at the run. `ord` is the order in which submissions look for keys
--   that are free, to forget them.
-- - `waiter`: processes that wait for notifications
-- - `note`: small documents that all processes share; `until` is in the past for one that is none:
--   see `write_notes`
-- - `hold`: those of them that keep a lane on hold, or all lanes (`lane` is empty): each claim
--   looks for some; updated when it lets a run through
--
-- - `row_at`, `rows_at`: where in `run` the rows of these runs were last written, so that no index
--   is searched for them; null where that is not known. See `isAt`.
--
-- Every parked run is in `parked_lane`, and every one behind a turn in `behind_lane`: their
-- conditions keep them out of all plans but those that have the same one, as lists do.
--
-- Tables without a primary key say `replica identity full`: where a publication has all tables of a
-- database, Postgres refuses updates and deletes of any other.
--
-- Long payloads and results are compressed by lz4, from Postgres 14 on and where it is built in:
-- what a server compresses by its own way takes several times as long, most of a large submission.
--
-- Text is compared by bytes (`collate "C"`): fast, and the same on every server.
create sequence back_order;
create sequence front_order start 20000 increment 20000;
create sequence end_order;

create table run (
  hash integer not null generated always as (hashtext(id)) stored,
  is_keyed boolean not null default false,
  is_dead boolean not null default false,
  holds_key boolean not null default false,
  holds_lane boolean default false,
  id text collate "C" not null,
  lane text collate "C" not null,
  payload text not null,
  key text collate "C",
  extras text,
  key_waits boolean,
  keeps_key boolean,
  state "char" not null,
  wants_cancel boolean not null default false,
  key_limit bigint,
  keep_ms bigint,
  created_at bigint,
  submitted_at bigint,
  run_at bigint,
  epoch bigint not null,
  ord bigint not null,
  claimed_at bigint,
  heartbeat_at bigint,
  lease_until bigint,
  ended_at bigint,
  error_name text,
  error_group text collate "C",
  spent bigint,
  result text,
  record text,
  fairness_key text collate "C",
  primary key (hash, id)
) with (fillfactor = 45);
do $$ begin
  if exists (
    select from pg_settings
    where name = 'default_toast_compression' and 'lz4' = any (enumvals)
  ) then
    execute
'alter table run alter column payload set compression lz4, alter column result set compression lz4';
  end if;
end $$;
create index run_dead on run (id) where is_dead;
create index run_group on run (error_group, lane, id) where is_dead;
create index run_key on run (key) where holds_key;
create index run_lane on run (lane) where holds_lane;

create table ready (
  ord bigint not null,
  lane text collate "C" not null,
  id text collate "C" not null,
  key text collate "C",
  row_at tid,
  fairness_key text collate "C",
  primary key (lane, ord)
);

create table turn (lane text collate "C" not null, key text collate "C" not null);
create index turn_key on turn (lane, key);
alter table turn replica identity full;

create table behind (
  lane text collate "C" not null,
  key text collate "C" not null,
  ord bigint not null,
  id text collate "C" not null,
  primary key (lane, key, ord)
);
create index behind_lane on behind (lane, ord) where key > '';

create table parked (
  key text collate "C" not null,
  lane text collate "C" not null,
  key_limit bigint not null,
  ord bigint not null,
  id text collate "C" not null,
  primary key (key, lane, key_limit, ord)
);
create index parked_lane on parked (lane, ord) where key_limit > 0;

create table scheduled (
  run_at bigint not null,
  ord bigint not null,
  lane text collate "C" not null,
  id text collate "C" not null,
  row_at tid,
  primary key (lane, run_at, ord)
);

create table claim (
  worker text collate "C" not null,
  request text collate "C" not null,
  at bigint not null,
  until bigint not null,
  ids text[] not null,
  ords bigint[] not null,
  lanes text[],
  primary key (worker, request)
);
create index claim_until on claim (until);
alter table claim alter column ids set storage external, alter column ords set storage external;

create table finished (
  ord bigint primary key,
  count bigint not null,
  ids text[] not null,
  rows_at tid[]
);
alter table finished
  alter column ids set storage external, alter column rows_at set storage external;

create table long_finished (
  ord bigint primary key,
  bytes bigint not null
);

create table awaited (
  id text collate "C" not null,
  until bigint not null,
  ord bigint not null,
  hash integer not null generated always as (hashtext(id)) stored,
  primary key (hash, id)
);
create index awaited_until on awaited (until, id);

create table kept_key (
  id text collate "C" not null,
  until bigint not null,
  hash integer not null generated always as (hashtext(id)) stored,
  primary key (hash, id)
);
create index kept_key_until on kept_key (until);

create table tally (submitted bigint not null, forgotten bigint not null);
alter table tally replica identity full;

create sequence group_order;

create table error_group (
  lane text collate "C" not null,
  id text collate "C" not null,
  title text,
  count bigint not null,
  attempts bigint not null,
  first_at bigint,
  last_at bigint,
  latest_id text collate "C",
  latest_ord bigint,
  is_sum boolean not null default false,
  seq bigint not null default nextval('group_order')
);
create index error_group_seq on error_group (lane, id, seq);
create index error_group_new on error_group (lane, id) where not is_sum;
alter table error_group replica identity full;

create table waiter (
  id text collate "C" primary key,
  until bigint not null,
  for_results boolean not null default false
);

create sequence note_version;

create table note (
  key text collate "C" primary key,
  value text not null,
  version bigint not null,
  written_at bigint not null,
  until bigint,
  probe_ms bigint
) with (fillfactor = 50);
create index note_until on note (until);

create table hold (
  lane text collate "C" not null,
  primary key (key)
) inherits (note);
create index hold_lane on hold (lane);

create table start_limit (
  key text collate "C" primary key,
  window_ms bigint not null,
  latest_at bigint,
  buckets bigint[] not null,
  starts bigint[] not null,
  others jsonb,
  forget_at bigint not null
) with (fillfactor = 50);
create index start_limit_forget on start_limit (forget_at);

create sequence unique_order;

create table unique_key (
  key text collate "C" primary key,
  id text collate "C" not null,
  to_start boolean not null default false,
  until bigint,
  ord bigint not null default nextval('unique_order')
);
create index unique_key_ord on unique_key (ord);

create type location as (
  id text collate "C", state "char", ord bigint, lane text collate "C", run_at bigint,
  key text collate "C", key_limit bigint, is_dead boolean, fairness_key text collate "C"
);

create type dead_letter as (
  lane text collate "C", group_id text collate "C", title text, id text collate "C", spent bigint,
  ended_at bigint, ord bigint, n bigint
);
