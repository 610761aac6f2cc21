// a kernel of 500 lines
float helper(global const float *p, int i, float4 w) { return p[i] * w.x + sin(w.y); }
kernel void k(global float *a, global int *b, local float *t, uint n, float4 w) {
  uint l = get_local_id(0), g = get_global_id(0);
  float4 acc = (float4)(0.0f);
  for (uint i0 = 0; i0 < n; i0++) {
    if (g + i0 < n) t[l] += helper(a, g + i0, w) * 0.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i0 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 0);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i1 = 0; i1 < n; i1++) {
    if (g + i1 < n) t[l] += helper(a, g + i1, w) * 1.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i1 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 1);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i2 = 0; i2 < n; i2++) {
    if (g + i2 < n) t[l] += helper(a, g + i2, w) * 2.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i2 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 2);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i3 = 0; i3 < n; i3++) {
    if (g + i3 < n) t[l] += helper(a, g + i3, w) * 3.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i3 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 3);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i4 = 0; i4 < n; i4++) {
    if (g + i4 < n) t[l] += helper(a, g + i4, w) * 4.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i4 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 4);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i5 = 0; i5 < n; i5++) {
    if (g + i5 < n) t[l] += helper(a, g + i5, w) * 5.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i5 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 5);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i6 = 0; i6 < n; i6++) {
    if (g + i6 < n) t[l] += helper(a, g + i6, w) * 6.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i6 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 6);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i7 = 0; i7 < n; i7++) {
    if (g + i7 < n) t[l] += helper(a, g + i7, w) * 7.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i7 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 7);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i8 = 0; i8 < n; i8++) {
    if (g + i8 < n) t[l] += helper(a, g + i8, w) * 8.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i8 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 8);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i9 = 0; i9 < n; i9++) {
    if (g + i9 < n) t[l] += helper(a, g + i9, w) * 9.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i9 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 9);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i10 = 0; i10 < n; i10++) {
    if (g + i10 < n) t[l] += helper(a, g + i10, w) * 10.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i10 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 10);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i11 = 0; i11 < n; i11++) {
    if (g + i11 < n) t[l] += helper(a, g + i11, w) * 11.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i11 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 11);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i12 = 0; i12 < n; i12++) {
    if (g + i12 < n) t[l] += helper(a, g + i12, w) * 12.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i12 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 12);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i13 = 0; i13 < n; i13++) {
    if (g + i13 < n) t[l] += helper(a, g + i13, w) * 13.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i13 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 13);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i14 = 0; i14 < n; i14++) {
    if (g + i14 < n) t[l] += helper(a, g + i14, w) * 14.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i14 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 14);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i15 = 0; i15 < n; i15++) {
    if (g + i15 < n) t[l] += helper(a, g + i15, w) * 15.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i15 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 15);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i16 = 0; i16 < n; i16++) {
    if (g + i16 < n) t[l] += helper(a, g + i16, w) * 16.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i16 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 16);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i17 = 0; i17 < n; i17++) {
    if (g + i17 < n) t[l] += helper(a, g + i17, w) * 17.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i17 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 17);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i18 = 0; i18 < n; i18++) {
    if (g + i18 < n) t[l] += helper(a, g + i18, w) * 18.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i18 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 18);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i19 = 0; i19 < n; i19++) {
    if (g + i19 < n) t[l] += helper(a, g + i19, w) * 19.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i19 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 19);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i20 = 0; i20 < n; i20++) {
    if (g + i20 < n) t[l] += helper(a, g + i20, w) * 20.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i20 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 20);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i21 = 0; i21 < n; i21++) {
    if (g + i21 < n) t[l] += helper(a, g + i21, w) * 21.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i21 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 21);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i22 = 0; i22 < n; i22++) {
    if (g + i22 < n) t[l] += helper(a, g + i22, w) * 22.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i22 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 22);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i23 = 0; i23 < n; i23++) {
    if (g + i23 < n) t[l] += helper(a, g + i23, w) * 23.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i23 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 23);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i24 = 0; i24 < n; i24++) {
    if (g + i24 < n) t[l] += helper(a, g + i24, w) * 24.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i24 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 24);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i25 = 0; i25 < n; i25++) {
    if (g + i25 < n) t[l] += helper(a, g + i25, w) * 25.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i25 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 25);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i26 = 0; i26 < n; i26++) {
    if (g + i26 < n) t[l] += helper(a, g + i26, w) * 26.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i26 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 26);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i27 = 0; i27 < n; i27++) {
    if (g + i27 < n) t[l] += helper(a, g + i27, w) * 27.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i27 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 27);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i28 = 0; i28 < n; i28++) {
    if (g + i28 < n) t[l] += helper(a, g + i28, w) * 28.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i28 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 28);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i29 = 0; i29 < n; i29++) {
    if (g + i29 < n) t[l] += helper(a, g + i29, w) * 29.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i29 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 29);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i30 = 0; i30 < n; i30++) {
    if (g + i30 < n) t[l] += helper(a, g + i30, w) * 30.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i30 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 30);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i31 = 0; i31 < n; i31++) {
    if (g + i31 < n) t[l] += helper(a, g + i31, w) * 31.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i31 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 31);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i32 = 0; i32 < n; i32++) {
    if (g + i32 < n) t[l] += helper(a, g + i32, w) * 32.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i32 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 32);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i33 = 0; i33 < n; i33++) {
    if (g + i33 < n) t[l] += helper(a, g + i33, w) * 33.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i33 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 33);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i34 = 0; i34 < n; i34++) {
    if (g + i34 < n) t[l] += helper(a, g + i34, w) * 34.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i34 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 34);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i35 = 0; i35 < n; i35++) {
    if (g + i35 < n) t[l] += helper(a, g + i35, w) * 35.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i35 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 35);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i36 = 0; i36 < n; i36++) {
    if (g + i36 < n) t[l] += helper(a, g + i36, w) * 36.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i36 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 36);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i37 = 0; i37 < n; i37++) {
    if (g + i37 < n) t[l] += helper(a, g + i37, w) * 37.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i37 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 37);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i38 = 0; i38 < n; i38++) {
    if (g + i38 < n) t[l] += helper(a, g + i38, w) * 38.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i38 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 38);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i39 = 0; i39 < n; i39++) {
    if (g + i39 < n) t[l] += helper(a, g + i39, w) * 39.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i39 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 39);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i40 = 0; i40 < n; i40++) {
    if (g + i40 < n) t[l] += helper(a, g + i40, w) * 40.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i40 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 40);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i41 = 0; i41 < n; i41++) {
    if (g + i41 < n) t[l] += helper(a, g + i41, w) * 41.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i41 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 41);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i42 = 0; i42 < n; i42++) {
    if (g + i42 < n) t[l] += helper(a, g + i42, w) * 42.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i42 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 42);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i43 = 0; i43 < n; i43++) {
    if (g + i43 < n) t[l] += helper(a, g + i43, w) * 43.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i43 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 43);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i44 = 0; i44 < n; i44++) {
    if (g + i44 < n) t[l] += helper(a, g + i44, w) * 44.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i44 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 44);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i45 = 0; i45 < n; i45++) {
    if (g + i45 < n) t[l] += helper(a, g + i45, w) * 45.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i45 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 45);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i46 = 0; i46 < n; i46++) {
    if (g + i46 < n) t[l] += helper(a, g + i46, w) * 46.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i46 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 46);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i47 = 0; i47 < n; i47++) {
    if (g + i47 < n) t[l] += helper(a, g + i47, w) * 47.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i47 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 47);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i48 = 0; i48 < n; i48++) {
    if (g + i48 < n) t[l] += helper(a, g + i48, w) * 48.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i48 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 48);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i49 = 0; i49 < n; i49++) {
    if (g + i49 < n) t[l] += helper(a, g + i49, w) * 49.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i49 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 49);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i50 = 0; i50 < n; i50++) {
    if (g + i50 < n) t[l] += helper(a, g + i50, w) * 50.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i50 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 50);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i51 = 0; i51 < n; i51++) {
    if (g + i51 < n) t[l] += helper(a, g + i51, w) * 51.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i51 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 51);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i52 = 0; i52 < n; i52++) {
    if (g + i52 < n) t[l] += helper(a, g + i52, w) * 52.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i52 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 52);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i53 = 0; i53 < n; i53++) {
    if (g + i53 < n) t[l] += helper(a, g + i53, w) * 53.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i53 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 53);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i54 = 0; i54 < n; i54++) {
    if (g + i54 < n) t[l] += helper(a, g + i54, w) * 54.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i54 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 54);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i55 = 0; i55 < n; i55++) {
    if (g + i55 < n) t[l] += helper(a, g + i55, w) * 55.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i55 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 55);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i56 = 0; i56 < n; i56++) {
    if (g + i56 < n) t[l] += helper(a, g + i56, w) * 56.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i56 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 56);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i57 = 0; i57 < n; i57++) {
    if (g + i57 < n) t[l] += helper(a, g + i57, w) * 57.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i57 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 57);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i58 = 0; i58 < n; i58++) {
    if (g + i58 < n) t[l] += helper(a, g + i58, w) * 58.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i58 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 58);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i59 = 0; i59 < n; i59++) {
    if (g + i59 < n) t[l] += helper(a, g + i59, w) * 59.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i59 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 59);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i60 = 0; i60 < n; i60++) {
    if (g + i60 < n) t[l] += helper(a, g + i60, w) * 60.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i60 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 60);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i61 = 0; i61 < n; i61++) {
    if (g + i61 < n) t[l] += helper(a, g + i61, w) * 61.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i61 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 61);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i62 = 0; i62 < n; i62++) {
    if (g + i62 < n) t[l] += helper(a, g + i62, w) * 62.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i62 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 62);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i63 = 0; i63 < n; i63++) {
    if (g + i63 < n) t[l] += helper(a, g + i63, w) * 63.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i63 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 63);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i64 = 0; i64 < n; i64++) {
    if (g + i64 < n) t[l] += helper(a, g + i64, w) * 64.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i64 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 64);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i65 = 0; i65 < n; i65++) {
    if (g + i65 < n) t[l] += helper(a, g + i65, w) * 65.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i65 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 65);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i66 = 0; i66 < n; i66++) {
    if (g + i66 < n) t[l] += helper(a, g + i66, w) * 66.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i66 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 66);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i67 = 0; i67 < n; i67++) {
    if (g + i67 < n) t[l] += helper(a, g + i67, w) * 67.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i67 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 67);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i68 = 0; i68 < n; i68++) {
    if (g + i68 < n) t[l] += helper(a, g + i68, w) * 68.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i68 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 68);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i69 = 0; i69 < n; i69++) {
    if (g + i69 < n) t[l] += helper(a, g + i69, w) * 69.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i69 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 69);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
  for (uint i70 = 0; i70 < n; i70++) {
    if (g + i70 < n) t[l] += helper(a, g + i70, w) * 70.5f;
    acc.xy += w.zw * 2.0f + fmax(acc.xy, w.xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i70 & 7] = clamp((int)(acc.x * 3), 0, 255) + atomic_add(&b[g % 8], 1) + min(b[0], 70);
    acc = mad(acc, w, (float4)(1, acc.yzw)) / native_exp(acc) - convert_float4(convert_int4_sat(w));
  }
}
