//! Tests that use much of what there is, one or two an architecture.

pub const X86: &str = "X86 everything (remark) \"more\"
\"A string\" Key=value
(* a (* nested *) comment *)
{ x=1; [y]=2; 0:EBX=x; int a[2]={3,4}; p=x; uint64_t 1:ECX; };
 P0                | P1             ;
 MOV [x],$1        | mov EAX,[y]    ;
 XCHG [y],EAX      | CMP EAX,$1     ;
 LOCK INC [x]      | JNE L1         ;
 ADD EAX,EBX       | MOV ECX,[EBX]  ;
 LOCK CMPXCHG [x],EDX | L1: MFENCE  ;
 LOCK XADD [x],EAX | CMOVE EDX,EAX  ;
 SUB [y],$1        | SETNB ECX      ;
                   | NEG [y]        ;
locations [x; 0:EAX int; a; *p;]
filter 0:EAX=1 \\/ not x=2
~exists (1:EAX=0 /\\ [x]=1 /\\ ~(a[1]=4 => p=x) \\/ a={3,4} /\\ 0:EDX<>-1)
";

pub const PPC: &str = "PPC everything
{ 0:r2=x; 0:r4=y; 1:r2=x; x=0xff; }
 P0              | P1              ;
 Loop:           | lwz r1,0(r2)    ;
 lwarx r1,0,r2   | cmpw cr1,r1,r1  ;
 addi r1,r1,1    | beq cr1,L0      ;
 stwcx. r1,r0,r2 | L0: isync       ;
 bne Loop        | xor r3,r1,r1    ;
 lwsync          | lwzx r5,r3,r2   ;
 stw r1,0(r4)    | andi. r6,r5,1   ;
forall 1:r5=1 /\\ x=y
";

pub const ARM: &str = "ARM everything
{ %x0=x; 0:R3=y; int a[3]={1,2,3}; 1:R0=a; 1:R9=P1:end; }
 P0                | P1                  ;
 LDREX R1,[R3]     | LDM R0,{R1,R2}      ;
 ADDS R1,R1,#1     | LDR R4,[R0,#8]      ;
 STREX R2,R1,[R3]  | CMP R4,#3           ;
 DMB ST            | MOVNE R5,#1         ;
 STR R1,[%x0]      | BEQ end             ;
 ISB               | CBZ R5,end          ;
 EOR R6,R1,R1      | BX R9               ;
 LDR R7,[R6,R3]    | end:                ;
exists (0:R2=0 /\\ 1:R1=1)
";

pub const RISCV: &str = "RISCV everything
{ 0:x6=x; 0:a1=y; 1:x6=x; uint64_t 1:x7; }
 P0                      | P1               ;
 ori t0,zero,1           | lr.w.aq x5,(x6)  ;
 sw.rl x5,0(x6)          | sc.w x7,x5,(x6)  ;
 fence rw,w              | bne x7,x0,L      ;
 amoadd.w.aq.rl x9,x5,(a1) | lw x8,0(x6)    ;
 fence.tso               | L:               ;
 fence                   | addi x8,x8,-1    ;
exists (0:x9=0 /\\ 1:x7=0 /\\ 1:x8=-1)
";

pub const BYTES: &str = "RISCV bytes
{ char c; int8_t d[2]={1,2}; 0:x6=c; 1:x6=d; }
 P0          | P1          ;
 sb x5,0(x6) | lb x5,1(x6) ;
 lbu x7,0(x6) | sb x5,0(x6) ;
exists (1:x5=2 /\\ 0:x7=0)
";

pub const ALL: [&str; 5] = [X86, PPC, ARM, RISCV, BYTES];
