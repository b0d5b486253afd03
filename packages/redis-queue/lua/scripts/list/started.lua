-- Reads the next started runs, by the end of their lease. See `parts/by-instant.lua`.
--
-- Keys: BODY LEASES
--
-- Returns members and their instants, in turn.
--
-- @use basics

local SET = LEASES
-- @include by-instant
