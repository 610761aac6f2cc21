// Address spaces, arithmetic on pointers, records and their initialisers.
typedef struct { int a; float b[2]; struct { uchar x, y; }; union { int i; float f; } u; } item;
struct node { global struct node *next; int value; };

int sum(const int *p, int n) { int s = 0; while (n-- > 0) s += *p++; return s; }

void fill(item *x, local float *t) { x->b[1] = t[0]; x->y = 3; (*x).u.f = t[1]; }

kernel void pointers(global int *g, local float *t, constant int *c, global struct node *list) {
  local int tmp[8];
  int own[2][3] = {{1, 2}, {3}};
  item one = {.a = 1, .b = {2}, .u.f = 3}, two = one;
  int (*row)[3] = own + 1;
  tmp[get_local_id(0)] = sum(g, 4) + sum(tmp, 8) + sum(own[1], 3) + c[1] + (*row)[2];
  fill(&one, t);
  two = (item){5};
  global float *f = (global float *)g + 2;
  f[1] = f - (global float *)g;
  if (g != NULL && f > (global float *)g) *f = 1;
  for (global struct node *p = list; p; p = p->next) p->value++;
  int *any = one.a ? (int *)g : own[0];
  any[0] = to_local(any) == tmp;
}
