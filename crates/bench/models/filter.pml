/* Filter lock for N processes: filter.wtl for SPIN. `critical` stands for "at cs". */
#define N 4
byte level[N];
byte victim[N];
byte critical;

active [N] proctype p() {
  byte l, k;
start:
  l = 1;
next_level:
  if
  :: l < N
  :: else -> goto cs
  fi;
  level[_pid] = l;
  victim[l] = _pid;
  k = 0;
next_other:
  if
  :: k < N
  :: else -> goto done
  fi;
  if
  :: k == _pid
  :: else -> (level[k] < l || victim[l] != _pid)
  fi;
  k = k + 1;
  goto next_other;
done:
  l = l + 1;
  goto next_level;
cs:
  atomic { l = 0; k = 0; critical++; assert(critical == 1) };
  atomic { critical--; level[_pid] = 0 };
  goto start
}
