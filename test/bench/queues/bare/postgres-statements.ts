/** The tables of a schema. */
export const tablesOf = (schema: string): string => `
create schema if not exists ${schema};
create table if not exists ${schema}.run (
  id text primary key, payload text not null, state "char" not null default 'w', epoch bigint not null default 0,
  ended_at bigint, record text
) with (fillfactor = 40);
do $$ begin
  if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
    execute 'alter table ${schema}.run alter column payload set compression lz4';
  end if;
end $$;
create table if not exists ${schema}.ready (ord bigint primary key, id text not null, row_at tid not null);
create table if not exists ${schema}.later (due_at bigint, ord bigint, id text not null, row_at tid not null, primary key (due_at, ord));
create table if not exists ${schema}.claim (
  request text primary key, until bigint not null, ids text[] not null, ords bigint[] not null
);
create sequence if not exists ${schema}.back_order;
`;

/**
 * Stores runs whose ids are new.
 *
 * 1. ids
 * 2. payloads
 * 3. whether to wake who waits
 * 4. when they are due; null for now
 */
export const submitIn = (schema: string): string => `
with fresh as (
  insert into ${schema}.run (id, payload) select * from unnest($1::text[], $2::text[])
  returning id, ctid as row_at
), now_ready as (
  insert into ${schema}.ready select nextval('${schema}.back_order'), id, row_at from fresh where $4::bigint is null
), due_later as (
  insert into ${schema}.later select $4, nextval('${schema}.back_order'), id, row_at from fresh where $4 is not null
)
select pg_notify('${schema}', '') where $3
`;

/**
 * Settles runs and claims others.
 *
 * 1. of the runs that were handled: where they are
 * 2. their epochs
 * 3. their new states
 * 4. the errors of their attempts
 * 5. now
 * 6. nothing is ready below this number
 * 7. how many to claim
 * 8. the request
 * 9. the request before it, which was answered
 */
export const exchangeIn = (schema: string): string => `
with settled as (
  update ${schema}.run r set state = s.state::"char", epoch = s.epoch, ended_at = $5, record = s.record
  from (select unnest($1::tid[]) as row_at, unnest($2::bigint[]) as epoch, unnest($3::text[]) as state,
    unnest($4::text[]) as record) s
  where r.ctid = s.row_at and r.epoch = s.epoch - 1
  returning r.id, r.ctid as row_at, r.state
), ready_again as (
  insert into ${schema}.ready select nextval('${schema}.back_order'), id, row_at from settled where state = 'w'
), due as materialized (
  select ctid as later_at, ord, id, row_at from ${schema}.later
  where due_at <= $5 order by due_at, ord limit $7 for update skip locked
), first as materialized (
  select ctid as ready_at, ord, id, row_at from ${schema}.ready
  where ord > $6 order by ord limit greatest($7 - (select count(*) from due), 0) for update skip locked
), no_longer_due as (
  delete from ${schema}.later where ctid = any (array (select later_at from due))
), gone as (
  delete from ${schema}.ready where ctid = any (array (select ready_at from first))
), next as (
  select ord, id, row_at, false as was_ready from due union all select ord, id, row_at, true from first
), stored as (
  insert into ${schema}.claim select $8, $5 + 30000, array_agg(id), array_agg(ord) from next having count(*) > 0
), ended as (
  delete from ${schema}.claim where request = $9
)
select (select count(*) from settled) as settled, n.ord, n.was_ready, r.ctid as row_at, r.epoch + 1 as epoch, r.payload, r.record
from (select) one left join next n on true left join ${schema}.run r on r.ctid = n.row_at and r.id = n.id
`;
