// layer.c notes what an application asks of OpenCL, for clmc capture: the programs, and how their kernels are launched. It changes nothing: each call goes on to
// OpenCL with the arguments that it has, and its result is returned as it is; no command is added to a queue, and nothing is waited for.
//
// It works in two ways, which clmc capture asks for both. As a layer of an OpenCL ICD loader (clGetLayerInfo, clInitLayer; OPENCL_LAYERS), also for
// applications that look for OpenCL themselves. And before OpenCL (LD_PRELOAD), where the loader knows no layers, or there is none; once the
// loader has asked for the layer, the calls that come that way are passed on unseen.
//
// What it notes is a line of JSON each, in a file of the process in the folder CLMC_CAPTURE_DIR: written at once, so that what an application did before it
// crashed is there. All is bounded: the bytes of a file, the number of files, the launches noted of a kernel, the objects that are known.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The bounds.
enum {
	FILES = 64,                 // processes that write one
	FILE_BYTES = 32 << 20,      // of each
	TEXT_BYTES = 4 << 20,       // of the text of a program
	ALL_TEXT_BYTES = 64 << 20,  // of the texts of all programs of a process
	OBJECTS = 1 << 18,          // that are known at a time
	BUCKETS = 1 << 12,
	ARGS = 128,                 // of a kernel
	ARG_BYTES = 1024,           // of a scalar, vector or struct
	KERNELS = 1 << 12,          // names of kernels of which launches are counted
	SEEN = 1 << 14,             // launches that are told from others
	ALL_CONTENT_BYTES = 64 << 20,
};

enum kind { PROGRAM, KERNEL, MEM, QUEUE, SAMPLER, SVM };

struct arg {
	int set, null, svm;
	size_t size;
	unsigned char bytes[ARG_BYTES];
};

// object is what is known of an object of OpenCL.
struct object {
	struct object *next; // in its bucket
	const void *handle;
	enum kind kind;
	unsigned number; // from 1 on
	// PROGRAM
	const char *made; // source, binary, il, builtin, linked
	char *text, *options;
	int cut;               // the text is longer
	unsigned noted;        // the process, as forks count, whose file has it
	unsigned inputs[32], nInputs;
	char *headers[32];     // names
	unsigned headerTexts[32], nHeaders;
	// KERNEL
	struct object *program;
	char name[256];
	struct arg *args; // ARGS of them
	// MEM, SVM
	size_t size, origin;
	struct object *parent;
	unsigned children;
	cl_mem_flags flags;
	int image;
	cl_image_desc desc;
	cl_image_format format;
	unsigned char *content; // of its first bytes
	size_t known;           // how many bytes of content are known
	char writer[256];       // the kernel that may have changed it since
	// mapped for writing
	void *mapped;
	size_t mapAt, mapSize;
	// QUEUE
	int outOfOrder;
	// SAMPLER
	cl_bool normalised;
	cl_addressing_mode address;
	cl_filter_mode filter;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cl_icd_dispatch next_table, layer_table; // what calls go on to; what the loader calls
static int is_layer;                            // the loader has asked for it
static struct object *buckets[BUCKETS];
static unsigned objects, numbers, process = 1;
static int file = -1, file_tried;
static size_t written, all_text, all_content;
static size_t content_bytes; // of a buffer that are noted; 0: none
static unsigned most = 8;    // launches that are noted of a kernel

// ---- lines

struct line {
	char *text;
	size_t len, cap;
	int failed;
};

static void put(struct line *l, const char *s, size_t n) {
	if (l->failed)
		return;
	if (l->len + n + 1 > l->cap) {
		size_t cap = (l->len + n + 1) * 2;
		char *text = cap <= 4u * FILE_BYTES ? realloc(l->text, cap) : NULL;
		if (!text) {
			l->failed = 1;
			return;
		}
		l->text = text;
		l->cap = cap;
	}
	memcpy(l->text + l->len, s, n);
	l->len += n;
}

static void putf(struct line *l, const char *format, ...) {
	char s[512];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(s, sizeof s, format, args);
	va_end(args);
	put(l, s, n < 0 ? 0 : (size_t)n < sizeof s ? (size_t)n : sizeof s - 1);
}

// put_string writes bytes as a string of JSON: each byte that is not printable ASCII as the character of that number.
static void put_string(struct line *l, const char *s) {
	put(l, "\"", 1);
	for (; s && *s; s++) {
		unsigned char c = *s;
		if (c == '"' || c == '\\') {
			char two[2] = {'\\', c};
			put(l, two, 2);
		} else if (c < 0x20 || c >= 0x7f) {
			putf(l, "\\u%04x", c);
		} else {
			put(l, s, 1);
		}
	}
	put(l, "\"", 1);
}

static void put_hex(struct line *l, const unsigned char *b, size_t n) {
	static const char digits[] = "0123456789abcdef";
	put(l, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		char two[2] = {digits[b[i] >> 4], digits[b[i] & 15]};
		put(l, two, 2);
	}
	put(l, "\"", 1);
}

static void put_sizes(struct line *l, const char *name, unsigned dim, const size_t *s) {
	putf(l, ",\"%s\":", name);
	if (!s) {
		putf(l, "null");
		return;
	}
	for (unsigned d = 0; d < dim; d++)
		putf(l, "%s%zu", d ? "," : "[", s[d]);
	putf(l, "]");
}

// write_all writes a line, or as much as it can be.
static void write_all(const char *s, size_t n) {
	while (n > 0) {
		ssize_t done = write(file, s, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			written = FILE_BYTES; // the disk is full: nothing more is noted
			return;
		}
		s += done;
		n -= done;
	}
}

// open_file opens the file of the process, once.
static void open_file(void) {
	if (file_tried)
		return;
	file_tried = 1;
	const char *dir = getenv("CLMC_CAPTURE_DIR");
	char path[4096];
	for (int i = 0; dir && i < FILES && file < 0; i++) {
		if (snprintf(path, sizeof path, "%s/%02d.log", dir, i) >= (int)sizeof path)
			return;
		file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		if (file < 0 && errno != EEXIST)
			return;
	}
	if (file < 0)
		return;
	struct line l = {0};
	char cwd[4096];
	putf(&l, "{\"t\":\"process\",\"pid\":%d,\"cwd\":", (int)getpid());
	put_string(&l, getcwd(cwd, sizeof cwd) ? cwd : "");
	putf(&l, "}\n");
	if (!l.failed)
		write_all(l.text, l.len);
	free(l.text);
}

// note ends a line and writes it. When the file is full, it says so in a last one.
static void note(struct line *l) {
	put(l, "\n", 1);
	open_file();
	if (file >= 0 && !l->failed && written < FILE_BYTES) {
		if (written + l->len > FILE_BYTES) {
			static const char full[] = "{\"t\":\"limit\",\"what\":\"the file of the process is full\"}\n";
			write_all(full, sizeof full - 1);
			written = FILE_BYTES;
		} else {
			written += l->len;
			write_all(l->text, l->len);
		}
	}
	free(l->text);
}

static void limit_once(int *said, const char *what, const char *name) {
	if (*said)
		return;
	*said = 1;
	struct line l = {0};
	putf(&l, "{\"t\":\"limit\",\"what\":");
	put_string(&l, what);
	putf(&l, ",\"name\":");
	put_string(&l, name);
	putf(&l, "}");
	note(&l);
}

// ---- objects

static unsigned bucket(const void *handle) { return (unsigned)(((uintptr_t)handle >> 4) * 2654435761u) % BUCKETS; }

static struct object *find(enum kind kind, const void *handle) {
	for (struct object *o = handle ? buckets[bucket(handle)] : NULL; o; o = o->next)
		if (o->handle == handle && o->kind == kind)
			return o;
	return NULL;
}

static void drop_content(struct object *o) {
	if (o->content)
		all_content -= o->size < content_bytes ? o->size : content_bytes;
	free(o->content);
	o->content = NULL;
	o->known = 0;
}

// renew makes an object anew that is gone for OpenCL.
static struct object *renew(struct object *o) {
	drop_content(o);
	if (o->parent)
		o->parent->children--;
	struct object was = *o;
	memset(o, 0, sizeof *o);
	o->next = was.next;
	o->handle = was.handle;
	o->kind = was.kind;
	o->number = ++numbers;
	if ((o->args = was.args))
		memset(o->args, 0, ARGS * sizeof *o->args);
	return o;
}

// add makes an object known, in place of one that had the handle before. Programs and memory stay where they are, since others point to them.
static struct object *add(enum kind kind, const void *handle) {
	static int said;
	if (!handle)
		return NULL;
	struct object *old = find(kind, handle);
	if (old && kind != PROGRAM && !old->children)
		return renew(old);
	if (old)
		old->handle = NULL; // forgotten, and kept for those that point to it
	if (objects >= OBJECTS) {
		limit_once(&said, "too many objects", "");
		return NULL;
	}
	struct object *o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	if (kind == KERNEL && !(o->args = calloc(ARGS, sizeof *o->args))) {
		free(o);
		return NULL;
	}
	objects++;
	o->kind = kind;
	o->handle = handle;
	o->number = ++numbers;
	o->next = buckets[bucket(handle)];
	buckets[bucket(handle)] = o;
	return o;
}

// ---- what memory holds, as far as the host has written it

static void content_set(struct object *o, size_t at, size_t n, const void *p) {
	if (!o || !content_bytes || !p)
		return;
	if (o->parent) {
		content_set(o->parent, o->origin + at, n, p);
		return;
	}
	size_t room = o->size < content_bytes ? o->size : content_bytes;
	if (at >= room)
		return;
	if (n > room - at)
		n = room - at;
	if (!o->content) {
		if (all_content + room > ALL_CONTENT_BYTES || !(o->content = calloc(1, room)))
			return;
		all_content += room;
	}
	memcpy(o->content + at, p, n);
	if (at + n > o->known)
		o->known = at + n;
	if (at == 0)
		o->writer[0] = 0;
}

// ---- programs and launches

static void note_number(unsigned n);

// note_program notes a program, after those that it is made from.
static void note_program(struct object *p) {
	if (p->noted == process)
		return;
	p->noted = process;
	for (unsigned i = 0; i < p->nInputs; i++)
		note_number(p->inputs[i]);
	for (unsigned i = 0; i < p->nHeaders; i++)
		note_number(p->headerTexts[i]);
	struct line l = {0};
	putf(&l, "{\"t\":\"program\",\"n\":%u,\"made\":\"%s\",\"cut\":%s,\"options\":", p->number, p->made, p->cut ? "true" : "false");
	put_string(&l, p->options);
	putf(&l, ",\"text\":");
	put_string(&l, p->text);
	putf(&l, ",\"inputs\":[");
	for (unsigned i = 0; i < p->nInputs; i++)
		putf(&l, "%s%u", i ? "," : "", p->inputs[i]);
	putf(&l, "],\"headers\":[");
	for (unsigned i = 0; i < p->nHeaders; i++) {
		putf(&l, "%s{\"n\":%u,\"name\":", i ? "," : "", p->headerTexts[i]);
		put_string(&l, p->headers[i]);
		putf(&l, "}");
	}
	putf(&l, "]}");
	note(&l);
}

// note_number notes the program of a number that others name: an input of a link, or a header.
static void note_number(unsigned n) {
	for (unsigned b = 0; b < BUCKETS; b++)
		for (struct object *o = buckets[b]; o; o = o->next)
			if (o->kind == PROGRAM && o->number == n)
				note_program(o);
}

static uint64_t hash(uint64_t h, const void *p, size_t n) {
	for (const unsigned char *b = p; n > 0; n--, b++)
		h = (h ^ *b) * 1099511628211u;
	return h;
}

// memory returns the memory that an argument names, if it does.
static struct object *memory(const struct arg *a) {
	void *handle;
	if (a->svm || a->null || a->size != sizeof handle)
		return NULL;
	memcpy(&handle, a->bytes, sizeof handle);
	return find(MEM, handle);
}

static struct object *svm_of(const struct arg *a, size_t *offset) {
	const char *p;
	memcpy(&p, a->bytes, sizeof p);
	struct object *found = NULL; // the newest: others are freed
	for (unsigned b = 0; p && b < BUCKETS; b++)
		for (struct object *o = buckets[b]; o; o = o->next)
			if (o->kind == SVM && p >= (const char *)o->handle && p < (const char *)o->handle + o->size && (!found || o->number > found->number))
				found = o;
	if (found)
		*offset = p - (const char *)found->handle;
	return found;
}

static void put_memory(struct line *l, struct object *o) {
	struct object *root = o->parent ? o->parent : o;
	putf(l, "\"mem\":%u,\"bytes\":%zu,\"flags\":%llu", root->number, o->size, (unsigned long long)o->flags);
	if (o->parent)
		putf(l, ",\"sub\":true,\"origin\":%zu", o->origin);
	if (o->image)
		putf(l, ",\"image\":[%u,%zu,%zu,%zu,%u,%u,%zu]", o->desc.image_type, o->desc.image_width, o->desc.image_height, o->desc.image_depth, o->format.image_channel_order,
		     o->format.image_channel_data_type, o->desc.image_array_size);
	size_t at = o->parent ? o->origin : 0;
	if (root->content && root->known > at) {
		size_t n = root->known - at < o->size ? root->known - at : o->size;
		putf(l, ",\"content\":");
		put_hex(l, root->content + at, n);
		if (root->writer[0]) {
			putf(l, ",\"writer\":");
			put_string(l, root->writer);
		}
	}
}

static void put_args(struct line *l, struct object *k) {
	unsigned n = ARGS;
	while (n > 0 && !k->args[n - 1].set)
		n--;
	putf(l, ",\"args\":[");
	for (unsigned i = 0; i < n; i++) {
		const struct arg *a = &k->args[i];
		struct object *o = memory(a);
		size_t offset = 0;
		putf(l, "%s{\"size\":%zu", i ? "," : "", a->size);
		if (a->svm) {
			o = svm_of(a, &offset);
			putf(l, ",\"svm\":true,\"mem\":%u,\"bytes\":%zu", o ? o->number : 0, o ? o->size - offset : 0);
		} else if (!a->set) {
			putf(l, ",\"unset\":true");
		} else if (a->null) {
			putf(l, ",\"null\":true");
		} else {
			if (o) {
				putf(l, ",");
				put_memory(l, o);
			}
			void *handle = NULL;
			if (a->size == sizeof handle)
				memcpy(&handle, a->bytes, sizeof handle);
			struct object *s = find(SAMPLER, handle);
			if (s)
				putf(l, ",\"sampler\":[%u,%u,%u]", s->normalised, s->address, s->filter);
			if (!o && !s) {
				putf(l, ",\"value\":");
				put_hex(l, a->bytes, a->size < ARG_BYTES ? a->size : ARG_BYTES);
			}
		}
		putf(l, "}");
	}
	putf(l, "]");
}

// alike is a number of a launch, the same for those that differ in nothing that is noted but contents.
static uint64_t alike(struct object *k, cl_uint dim, const size_t *offset, const size_t *global, const size_t *local) {
	uint64_t h = 14695981039346656037u;
	h = hash(h, &k->program->number, sizeof k->program->number);
	h = hash(h, k->name, strlen(k->name));
	h = hash(h, global, dim * sizeof *global);
	if (offset)
		h = hash(h, offset, dim * sizeof *offset);
	if (local)
		h = hash(h, local, dim * sizeof *local);
	for (unsigned i = 0; i < ARGS; i++) {
		const struct arg *a = &k->args[i];
		struct object *o = memory(a);
		h = hash(h, &a->size, sizeof a->size);
		if (o) {
			unsigned first = 0; // the argument that has the same memory
			for (struct object *other = NULL; first < i; first++)
				if ((other = memory(&k->args[first])) && (other->parent ? other->parent : other) == (o->parent ? o->parent : o))
					break;
			h = hash(h, &first, sizeof first);
			h = hash(h, &o->size, sizeof o->size);
			h = hash(h, &o->origin, sizeof o->origin);
		} else if (a->set && !a->null && !a->svm) {
			h = hash(h, a->bytes, a->size < ARG_BYTES ? a->size : ARG_BYTES);
		}
	}
	return h;
}

// is_new reports whether a launch is to be noted: it is unlike those before it, and not too many of its kernel are noted.
static int is_new(struct object *k, uint64_t h) {
	static uint64_t seen[SEEN];
	static unsigned n_seen, n_counts;
	static struct { uint64_t kernel; unsigned n; int said; } counts[KERNELS];
	static unsigned of;
	if (of != process) { // a fork begins anew
		of = process;
		n_seen = n_counts = 0;
		memset(counts, 0, sizeof counts);
	}
	for (unsigned i = 0; i < n_seen; i++)
		if (seen[i] == h)
			return 0;
	if (n_seen < SEEN)
		seen[n_seen++] = h;
	uint64_t name = hash(hash(14695981039346656037u, k->name, strlen(k->name)), &k->program->number, sizeof k->program->number);
	unsigned i = 0;
	while (i < n_counts && counts[i].kernel != name)
		i++;
	if (i == n_counts) {
		if (n_counts == KERNELS)
			return 0;
		counts[n_counts++].kernel = name;
	}
	if (counts[i].n >= most) {
		limit_once(&counts[i].said, "more launches with other sizes or arguments were not noted", k->name);
		return 0;
	}
	counts[i].n++;
	return 1;
}

static void note_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset, const size_t *global, const size_t *local) {
	struct object *k = find(KERNEL, kernel), *q = find(QUEUE, queue);
	if (!k || !k->program || dim < 1 || dim > 3 || !global)
		return;
	if (is_new(k, alike(k, dim, offset, global, local))) {
		note_program(k->program);
		struct line l = {0};
		putf(&l, "{\"t\":\"launch\",\"program\":%u,\"queue\":%u,\"outoforder\":%s,\"kernel\":", k->program->number, q ? q->number : 0, q && q->outOfOrder ? "true" : "false");
		put_string(&l, k->name);
		put_sizes(&l, "global", dim, global);
		put_sizes(&l, "local", dim, local);
		put_sizes(&l, "offset", dim, offset);
		put_args(&l, k);
		putf(&l, "}");
		note(&l);
	}
	for (unsigned i = 0; i < ARGS; i++) {
		struct object *o = memory(&k->args[i]);
		if (o && !(o->flags & CL_MEM_READ_ONLY))
			snprintf((o->parent ? o->parent : o)->writer, sizeof o->writer, "%s", k->name);
	}
}

static void set_text(struct object *p, cl_uint n, const char **strings, const size_t *lengths) {
	size_t whole = 0;
	for (cl_uint i = 0; strings && i < n; i++)
		if (strings[i])
			whole += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
	if (whole > TEXT_BYTES || all_text + whole > ALL_TEXT_BYTES || !(p->text = malloc(whole + 1))) {
		p->cut = 1;
		return;
	}
	all_text += whole;
	char *to = p->text;
	for (cl_uint i = 0; strings && i < n; i++)
		if (strings[i]) {
			size_t len = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
			memcpy(to, strings[i], len);
			to += len;
		}
	*to = 0;
}

static struct object *add_program(cl_program handle, const char *made) {
	struct object *p = add(PROGRAM, handle);
	if (p)
		p->made = made;
	return p;
}

static void set_options(struct object *p, const char *options) {
	if (!p || !options || strlen(options) > 1 << 16)
		return;
	free(p->options);
	p->options = strdup(options);
	p->noted = 0;
}

static void add_kernel(cl_kernel handle, cl_program program, const char *name) {
	struct object *k = add(KERNEL, handle);
	if (!k)
		return;
	k->program = find(PROGRAM, program);
	snprintf(k->name, sizeof k->name, "%s", name);
}

// add_kernels asks for the names of kernels that were made without one.
static void add_kernels(cl_program program, cl_uint n, cl_kernel *list) {
	for (cl_uint i = 0; list && i < n; i++) {
		char name[256] = "";
		if (next_table.clGetKernelInfo && next_table.clGetKernelInfo(list[i], CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL) == CL_SUCCESS)
			add_kernel(list[i], program, name);
	}
}

static void add_memory(cl_mem handle, cl_mem_flags flags, size_t size, const void *host) {
	struct object *o = add(MEM, handle);
	if (!o)
		return;
	o->size = size;
	o->flags = flags;
	if (host && (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)))
		content_set(o, 0, size, host);
}

static void add_image(cl_mem handle, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc) {
	struct object *o = add(MEM, handle);
	if (!o || !format || !desc)
		return;
	o->flags = flags;
	o->image = 1;
	o->format = *format;
	o->desc = *desc;
}

static void add_sampler(cl_sampler handle, cl_bool normalised, cl_addressing_mode address, cl_filter_mode filter) {
	struct object *s = add(SAMPLER, handle);
	if (!s)
		return;
	s->normalised = normalised;
	s->address = address;
	s->filter = filter;
}

// ---- the calls

#define NOTE(...)                        \
	do {                             \
		int was = errno;         \
		pthread_mutex_lock(&lock);   \
		__VA_ARGS__;                     \
		pthread_mutex_unlock(&lock); \
		errno = was;             \
	} while (0)

// Each call is a macro of: its result, its name, its parameters, its arguments, what it returns where there is no such function, and what is noted of a result r.
// BEFORE is for what has to be noted before: commands that read memory of the application.
#define CALLS                                                                                                                                                                             \
	CALL(cl_program, clCreateProgramWithSource, (cl_context c, cl_uint n, const char **s, const size_t *len, cl_int *e), (c, n, s, len, e), NULL, ,                                     \
	     struct object *p = add_program(r, "source"); if (p) set_text(p, n, s, len))                                                                                                    \
	CALL(cl_program, clCreateProgramWithBinary,                                                                                                                                         \
	     (cl_context c, cl_uint n, const cl_device_id *d, const size_t *len, const unsigned char **b, cl_int *st, cl_int *e), (c, n, d, len, b, st, e), NULL, , add_program(r, "binary")) \
	CALL(cl_program, clCreateProgramWithBuiltInKernels, (cl_context c, cl_uint n, const cl_device_id *d, const char *names, cl_int *e), (c, n, d, names, e), NULL, ,                      \
	     add_program(r, "builtin"))                                                                                                                                                     \
	CALL(cl_program, clCreateProgramWithIL, (cl_context c, const void *il, size_t len, cl_int *e), (c, il, len, e), NULL, , add_program(r, "il"))                                       \
	CALL(cl_int, clBuildProgram,                                                                                                                                                        \
	     (cl_program p, cl_uint n, const cl_device_id *d, const char *o, void(CL_CALLBACK * f)(cl_program, void *), void *u), (p, n, d, o, f, u), CL_INVALID_OPERATION,                  \
	     NOTE(set_options(find(PROGRAM, p), o)), )                                                                                                                                              \
	CALL(cl_int, clCompileProgram,                                                                                                                                                      \
	     (cl_program p, cl_uint n, const cl_device_id *d, const char *o, cl_uint nh, const cl_program *h, const char **names, void(CL_CALLBACK * f)(cl_program, void *), void *u),        \
	     (p, n, d, o, nh, h, names, f, u), CL_INVALID_OPERATION, NOTE(note_compile(p, o, nh, h, names)), )                                                                                    \
	CALL(cl_program, clLinkProgram,                                                                                                                                                     \
	     (cl_context c, cl_uint n, const cl_device_id *d, const char *o, cl_uint ni, const cl_program *in, void(CL_CALLBACK * f)(cl_program, void *), void *u, cl_int *e),               \
	     (c, n, d, o, ni, in, f, u, e), NULL, , note_link(r, o, ni, in))                                                                                                                \
	CALL(cl_kernel, clCreateKernel, (cl_program p, const char *name, cl_int *e), (p, name, e), NULL, , if (r) add_kernel(r, p, name))                                                   \
	CALL(cl_int, clCreateKernelsInProgram, (cl_program p, cl_uint n, cl_kernel *k, cl_uint *ret), (p, n, k, ret), CL_INVALID_OPERATION, , cl_uint made = n;                             \
	     if (k && r == CL_SUCCESS && next_table.clGetProgramInfo) { size_t all = n; if (next_table.clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof all, &all, NULL) == CL_SUCCESS && all < n) made = all; add_kernels(p, made, k); }) \
	CALL(cl_kernel, clCloneKernel, (cl_kernel k, cl_int *e), (k, e), NULL, , note_clone(r, k))                                                                                          \
	CALL(cl_int, clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v), CL_INVALID_OPERATION, , if (r == CL_SUCCESS) note_arg(k, i, n, v, 0))                  \
	CALL(cl_int, clSetKernelArgSVMPointer, (cl_kernel k, cl_uint i, const void *v), (k, i, v), CL_INVALID_OPERATION, , if (r == CL_SUCCESS) note_arg(k, i, sizeof v, &v, 1))             \
	CALL(cl_int, clEnqueueNDRangeKernel,                                                                                                                                                \
	     (cl_command_queue q, cl_kernel k, cl_uint dim, const size_t *off, const size_t *gl, const size_t *lo, cl_uint n, const cl_event *w, cl_event *e), (q, k, dim, off, gl, lo, n, w, e), \
	     CL_INVALID_OPERATION, NOTE(note_launch(q, k, dim, off, gl, lo)), )                                                                                                             \
	CALL(cl_int, clEnqueueTask, (cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *w, cl_event *e), (q, k, n, w, e), CL_INVALID_OPERATION, size_t one = 1;                    \
	     NOTE(note_launch(q, k, 1, NULL, &one, &one)), )                                                                                                                                \
	CALL(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags fl, size_t n, void *h, cl_int *e), (c, fl, n, h, e), NULL, , add_memory(r, fl, n, h))                                       \
	CALL(cl_mem, clCreateBufferWithProperties, (cl_context c, const cl_mem_properties *p, cl_mem_flags fl, size_t n, void *h, cl_int *e), (c, p, fl, n, h, e), NULL, ,                    \
	     add_memory(r, fl, n, h))                                                                                                                                                       \
	CALL(cl_mem, clCreateSubBuffer, (cl_mem m, cl_mem_flags fl, cl_buffer_create_type t, const void *i, cl_int *e), (m, fl, t, i, e), NULL, , if (r) note_sub(r, m, fl, i))               \
	CALL(cl_mem, clCreateImage, (cl_context c, cl_mem_flags fl, const cl_image_format *f, const cl_image_desc *d, void *h, cl_int *e), (c, fl, f, d, h, e), NULL, ,                       \
	     if (r) add_image(r, fl, f, d))                                                                                                                                                 \
	CALL(cl_mem, clCreateImageWithProperties,                                                                                                                                           \
	     (cl_context c, const cl_mem_properties *p, cl_mem_flags fl, const cl_image_format *f, const cl_image_desc *d, void *h, cl_int *e), (c, p, fl, f, d, h, e), NULL, ,               \
	     if (r) add_image(r, fl, f, d))                                                                                                                                                 \
	CALL(cl_mem, clCreateImage2D, (cl_context c, cl_mem_flags fl, const cl_image_format *f, size_t x, size_t y, size_t p, void *h, cl_int *e), (c, fl, f, x, y, p, h, e), NULL, ,         \
	     cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = x, .image_height = y}; if (r) add_image(r, fl, f, &d))                                                   \
	CALL(cl_mem, clCreateImage3D,                                                                                                                                                       \
	     (cl_context c, cl_mem_flags fl, const cl_image_format *f, size_t x, size_t y, size_t z, size_t p, size_t sp, void *h, cl_int *e), (c, fl, f, x, y, z, p, sp, h, e), NULL, ,       \
	     cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = x, .image_height = y, .image_depth = z}; if (r) add_image(r, fl, f, &d))                                 \
	CALL(cl_mem, clCreatePipe, (cl_context c, cl_mem_flags fl, cl_uint n, cl_uint m, const cl_pipe_properties *p, cl_int *e), (c, fl, n, m, p, e), NULL, , add_memory(r, fl, m, NULL))     \
	CALL(cl_sampler, clCreateSampler, (cl_context c, cl_bool n, cl_addressing_mode a, cl_filter_mode f, cl_int *e), (c, n, a, f, e), NULL, , if (r) add_sampler(r, n, a, f))               \
	CALL(cl_sampler, clCreateSamplerWithProperties, (cl_context c, const cl_sampler_properties *p, cl_int *e), (c, p, e), NULL, , if (r) note_sampler(r, p))                             \
	CALL(cl_command_queue, clCreateCommandQueue, (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *e), (c, d, p, e), NULL, ,                                          \
	     struct object *q = add(QUEUE, r); if (q) q->outOfOrder = (p & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)                                                                     \
	CALL(cl_command_queue, clCreateCommandQueueWithProperties, (cl_context c, cl_device_id d, const cl_queue_properties *p, cl_int *e), (c, d, p, e), NULL, , note_queue(r, p))           \
	CALL(cl_int, clEnqueueWriteBuffer,                                                                                                                                                  \
	     (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t n, const void *p, cl_uint nw, const cl_event *w, cl_event *e), (q, m, b, at, n, p, nw, w, e), CL_INVALID_OPERATION,   \
	     if (content_bytes) NOTE(content_set(find(MEM, m), at, n, p)), )                                                                                                                \
	CALL(cl_int, clEnqueueFillBuffer,                                                                                                                                                   \
	     (cl_command_queue q, cl_mem m, const void *p, size_t k, size_t at, size_t n, cl_uint nw, const cl_event *w, cl_event *e), (q, m, p, k, at, n, nw, w, e), CL_INVALID_OPERATION,    \
	     if (content_bytes) NOTE(note_fill(m, p, k, at, n)), )                                                                                                                          \
	CALL(void *, clEnqueueMapBuffer,                                                                                                                                                    \
	     (cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t at, size_t n, cl_uint nw, const cl_event *w, cl_event *e, cl_int *er), (q, m, b, f, at, n, nw, w, e, er), NULL, , \
	     if (content_bytes && r && (f & ~(cl_map_flags)CL_MAP_READ)) note_map(m, r, at, n))                                                                                             \
	CALL(cl_int, clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem m, void *p, cl_uint nw, const cl_event *w, cl_event *e), (q, m, p, nw, w, e), CL_INVALID_OPERATION,                 \
	     if (content_bytes) NOTE(note_unmap(m, p)), )                                                                                                                                   \
	CALL(void *, clSVMAlloc, (cl_context c, cl_svm_mem_flags f, size_t n, cl_uint a), (c, f, n, a), NULL, , struct object *o = add(SVM, r); if (o) o->size = n)

static void note_compile(cl_program program, const char *options, cl_uint n, const cl_program *headers, const char **names) {
	struct object *p = find(PROGRAM, program);
	set_options(p, options);
	for (cl_uint i = 0; p && headers && names && i < n && p->nHeaders < 32; i++) {
		struct object *h = find(PROGRAM, headers[i]);
		if (!h || !(p->headers[p->nHeaders] = strdup(names[i])))
			continue;
		p->headerTexts[p->nHeaders++] = h->number;
	}
}

static void note_link(cl_program program, const char *options, cl_uint n, const cl_program *in) {
	struct object *p = add_program(program, "linked");
	set_options(p, options);
	for (cl_uint i = 0; p && in && i < n && p->nInputs < 32; i++) {
		struct object *o = find(PROGRAM, in[i]);
		if (o)
			p->inputs[p->nInputs++] = o->number;
	}
}

static void note_clone(cl_kernel clone, cl_kernel kernel) {
	struct object *k = find(KERNEL, kernel), *c = k ? add(KERNEL, clone) : NULL;
	if (!c)
		return;
	c->program = k->program;
	memcpy(c->name, k->name, sizeof c->name);
	memcpy(c->args, k->args, ARGS * sizeof *c->args);
}

static void note_arg(cl_kernel kernel, cl_uint i, size_t n, const void *v, int svm) {
	struct object *k = find(KERNEL, kernel);
	if (!k || i >= ARGS)
		return;
	struct arg *a = &k->args[i];
	a->set = 1;
	a->null = !v;
	a->svm = svm;
	a->size = n;
	memset(a->bytes, 0, sizeof a->bytes);
	if (v)
		memcpy(a->bytes, v, n < ARG_BYTES ? n : ARG_BYTES);
}

static void note_sub(cl_mem sub, cl_mem parent, cl_mem_flags flags, const void *info) {
	const cl_buffer_region *region = info;
	struct object *p = find(MEM, parent), *o = p && region ? add(MEM, sub) : NULL;
	if (!o)
		return;
	o->parent = p;
	p->children++;
	o->origin = region->origin;
	o->size = region->size;
	o->flags = flags ? flags : p->flags;
}

static void note_sampler(cl_sampler sampler, const cl_sampler_properties *p) {
	cl_bool normalised = CL_TRUE;
	cl_addressing_mode address = CL_ADDRESS_CLAMP;
	cl_filter_mode filter = CL_FILTER_NEAREST;
	for (; p && p[0]; p += 2) {
		if (p[0] == CL_SAMPLER_NORMALIZED_COORDS)
			normalised = p[1];
		if (p[0] == CL_SAMPLER_ADDRESSING_MODE)
			address = p[1];
		if (p[0] == CL_SAMPLER_FILTER_MODE)
			filter = p[1];
	}
	add_sampler(sampler, normalised, address, filter);
}

static void note_queue(cl_command_queue queue, const cl_queue_properties *p) {
	struct object *q = add(QUEUE, queue);
	for (; q && p && p[0]; p += 2)
		if (p[0] == CL_QUEUE_PROPERTIES)
			q->outOfOrder = (p[1] & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

static void note_fill(cl_mem mem, const void *pattern, size_t k, size_t at, size_t n) {
	struct object *o = find(MEM, mem);
	for (size_t i = 0; o && k > 0 && i < n && at + i < content_bytes; i += k)
		content_set(o, at + i, k, pattern);
}

static void note_map(cl_mem mem, void *p, size_t at, size_t n) {
	struct object *o = find(MEM, mem);
	if (!o)
		return;
	o->mapped = p;
	o->mapAt = at;
	o->mapSize = n;
}

static void note_unmap(cl_mem mem, void *p) {
	struct object *o = find(MEM, mem);
	if (!o || o->mapped != p)
		return;
	content_set(o, o->mapAt, o->mapSize, p);
	o->mapped = NULL;
}

// What a call does: it goes on, and its result is noted.
#define CALL(result, name, params, args, none, before, ...)    \
	static result CL_API_CALL noted_##name params {        \
		before;                                        \
		result r = next_table.name args;               \
		NOTE(__VA_ARGS__);                             \
		return r;                                      \
	}
CALLS
#undef CALL

// ---- as a layer

static void settings(void) {
	const char *s = getenv("CLMC_CAPTURE_CONTENTS");
	content_bytes = s ? strtoul(s, NULL, 10) : 0;
	if (content_bytes > 1 << 20)
		content_bytes = 1 << 20;
	if ((s = getenv("CLMC_CAPTURE_LAUNCHES")) && atoi(s) > 0)
		most = atoi(s);
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) {
	process++;
	if (file >= 0)
		close(file);
	file = -1;
	file_tried = 0;
	written = 0;
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void loaded(void) {
	settings();
	pthread_atfork(before_fork, after_fork, in_child);
}

__attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *ret) {
	static const char title[] = "clmc capture";
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	const void *from = name == CL_LAYER_API_VERSION ? (const void *)&version : title;
	size_t n = name == CL_LAYER_API_VERSION ? sizeof version : sizeof title;
	if (name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME)
		return CL_INVALID_VALUE;
	if (value && size < n)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, from, n);
	if (ret)
		*ret = n;
	return CL_SUCCESS;
}

__attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *ret, const cl_icd_dispatch **table) {
	if (!target || !ret || !table)
		return CL_INVALID_VALUE;
	size_t n = sizeof next_table / sizeof(void *);
	if (n > entries)
		n = entries;
	memcpy(&next_table, target, n * sizeof(void *));
	layer_table = next_table;
#define CALL(result, name, params, args, none, before, ...) \
	if (next_table.name)                                  \
		layer_table.name = noted_##name;
	CALLS
#undef CALL
	is_layer = 1;
	*ret = n;
	*table = &layer_table;
	return CL_SUCCESS;
}

// ---- before OpenCL

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static cl_icd_dispatch real_table;

static void look(void) {
#define CALL(result, name, params, args, none, before, ...) *(void **)&real_table.name = real(#name);
	CALLS
#undef CALL
	*(void **)&real_table.clGetKernelInfo = real("clGetKernelInfo");
	*(void **)&real_table.clGetProgramInfo = real("clGetProgramInfo");
	if (!is_layer)
		next_table = real_table;
}

#define CALL(result, name, params, args, none, before, ...)                                      \
	__attribute__((visibility("default"))) CL_API_ENTRY result CL_API_CALL name params {       \
		pthread_once(&looked, look);                                                       \
		if (!real_table.name)                                                              \
			return none;                                                               \
		return is_layer ? real_table.name args : noted_##name args;                        \
	}
CALLS
