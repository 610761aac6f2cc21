// A platform without a device, as an ICD of its own.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <string.h>

struct _cl_platform_id {
	cl_icd_dispatch *dispatch;
};

static cl_int CL_API_CALL info(cl_platform_id p, cl_platform_info what, size_t size, void *value, size_t *needs) {
	const char *text = what == CL_PLATFORM_ICD_SUFFIX_KHR ? "BARE" : what == CL_PLATFORM_EXTENSIONS ? "cl_khr_icd" : what == CL_PLATFORM_VERSION ? "OpenCL 3.0 bare" : "bare";
	(void)p;
	if (value && size < strlen(text) + 1)
		return CL_INVALID_VALUE;
	if (value)
		strcpy(value, text);
	if (needs)
		*needs = strlen(text) + 1;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL devices(cl_platform_id p, cl_device_type type, cl_uint most, cl_device_id *list, cl_uint *n) {
	(void)p, (void)type, (void)most, (void)list;
	if (n)
		*n = 0;
	return CL_DEVICE_NOT_FOUND;
}

static cl_icd_dispatch table;
static struct _cl_platform_id platform = {&table};

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint most, cl_platform_id *list, cl_uint *n) {
	table.clGetPlatformInfo = info;
	table.clGetDeviceIDs = devices;
	if (list && most > 0)
		*list = &platform;
	if (n)
		*n = 1;
	return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return (void *)clIcdGetPlatformIDsKHR;
	return strcmp(name, "clGetPlatformInfo") ? NULL : (void *)info;
}
