-- Notes how many bytes the row of `finished` that was just made has.
if v_long > 0 then
  insert into long_finished (ord, bytes) values (v_end, v_long);
end if;
