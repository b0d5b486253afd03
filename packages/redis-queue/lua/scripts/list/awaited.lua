-- Reads the next runs whose results are kept, by until when. See `parts/by-instant.lua`.
--
-- Keys: BODY AWAITED
--
-- Returns members and their instants, in turn.
--
-- @use basics

local SET = AWAITED
-- @include by-instant
