"""Which kernels use matrix units: names as profilers print them, by generation."""

import pytest

from genset.tta.profile.matrix_units import family, matrix_units
from tests.tta.profile.made import NCCL, kernel

YES = {
    "Volta": [
        "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn",
        "volta_h884gemm_256x64_ldg8_nn",
        "sm70_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage1_"
        "warpsize2x2x1_g1_tensor8x8x4_t1r1s1_execute_kernel_cudnn",
        "void xmma_cudnn::gemm::kernel<xmma_cudnn::implicit_gemm::fprop::Kernel_traits<"
        "xmma_cudnn::Volta_hmma_fp32_traits, xmma_cudnn::Cta_tile<xmma_cudnn::Volta>>>",
        "fmha_cutlassF_f16_aligned_64x64_rf_sm70(PyTorchMemEffAttention::AttentionKernel<>::Params)",
    ],
    "Turing": [
        "turing_h1688gemm_128x128_ldg8_stages_32x1_nn",
        "turing_int8_i8816cudnn_int8_256x64_ldg16_relu_singleBuffer_small_nt_v1",
        "void cutlass::Kernel<cutlass_75_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8>"
        "(cutlass_75_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8::Params)",
    ],
    "Ampere and Ada": [
        "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn",
        "ampere_h16816gemm_128x128_ldg8_stages_32x5_nn",
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x5_nt_align4>(cutlass_80)",
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn>",
        "ampere_int8_i16832gemm_int8_256x128_ldg16_stages_64x3_tn",
        "cutlass_80_tensorop_d884gemm_64x64_16x4_tn_align1",
        "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_"
        "stage4_warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_kernel",
        "sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_"
        "tilesize64x96x64_stage3_warpsize2x2x1_g1_tensor16x8x32_t1r3s3",
        "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
        "cutlass::half_t> >(Flash_fwd_params)",
        "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<>)",
        "fmha_cutlassB_f32_aligned_64x64_k64_sm80(PyTorchMemEffAttention::AttentionBackwardKernel)",
        "cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_3_64x64x128_4x1x1_kernel0_0",
        "void marlin::Marlin<__nv_bfloat16, 256, 1, 8, 8, 4, false, 4, 8>(int4 const*)",
        "void at::native::tinygemm_m16n8k16_chunk_kernel<at::native::ALayout_RM<(KReduction)0>>",
    ],
    "Hopper": [
        "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_"
        "segment_k_off_kernel__5x_cublas",
        "nvjet_sm90_hss_320x128_64x3_1x2_h_bz_coopB_TNT",
        "cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_tnn",
        "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>,"
        " cutlass::gemm::collective::CollectiveMma<cutlass::MainloopSm90TmaGmmaWarpSpecialized",
        "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
        "flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>>>>>>",
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1",
        "void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 128u, 128u, 128u, 1u, 8u>(float*, __nv)",
    ],
    "Blackwell": [
        "nvjet_sm100_tst_64x32_64x16_2x1_2cta_v_bz_TNN",
        "cutlass3x_sm100_tensorop_s256x256x32gemm_f8_f8_f32_f16_f16_256x256x128",
        "cudnn_generated_fort_native_sdpa_sm100_flash_fprop_f16_knob_31_128x128x128_4x1x1",
    ],
    "AMD": [
        "Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32_MI16x16x1_SN_LDSB0_AFC1_AFEM1_ISA90a",
        "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SE_1LDSB0_APM1_ABV0_ACED0_AF0EM1_K1",
        "void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<ck::tensor_layout>>",
        "igemm_fwd_gtcx_nhwc_fp16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_ta1x8x2x1_1x4x1x64",
    ],
}
NO = [
    NCCL,
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals)",
    "volta_sgemm_128x64_nn",
    "volta_hgemm_128x64_nn",
    "ampere_gcgemm_64x64_nt",
    "void magma_sgemmEx_kernel<float, float, float, true, false, 6, 4, 6, 3, 4>(int, int, int)",
    "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nt_align1>(cutlass_80_simt_sgemm)",
    "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_"
    "warpsize1x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn",
    "cudnn_infer_volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
    "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int, int)",
    "void wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>(int, int, int, float const*)",
    "void cudnn::winograd_nonfused::winogradForwardOutput4x4<float, float>(cudnn::winograd)",
    "void fft2d_r2c_32x32<float, false, 5u, true>(float2*, float const*, int, int, int, int)",
    "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 128, true, 1>(float, float, float)",
    "void cudnn::batchnorm_bwtr_nhwc_semiPersist<__half, float, float, float, 512>",
    "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, (cudnnKernelData)2>",
    "void cask_cudnn::computeOffsetsKernel<false, false>(cask_cudnn::ComputeOffsetsParams)",
    "void splitKreduce_kernel<32, 16, int, float, __half, float, __half, true, false, false>",
    "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __half, __half>",
    "void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensorStridedBatched<float const>>",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>",
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::TensorList>",
    "void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<5, c10::Half, int>",
    "void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 10, false>",
    "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, float, float>",
    "triton_poi_fused_convolution_relu_gemm_0",
    "triton_red_fused_native_layer_norm_backward_1",
    "void flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4>>",
    "void pytorch_flash::flash_fwd_splitkv_combine_kernel<pytorch_flash::Flash_fwd_kernel_traits>",
    "fmha_cutlassF_f32_aligned_64x64_rf_sm70(PyTorchMemEffAttention::AttentionKernel<float>)",
    "void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, int, int>>",
    "Cijk_Ailk_Bljk_SB_MT64x64x8_SE_APM1_AF0EM1_AF1EM1_AMAS3_ASAE01_ASCE01_K1_LRVW4_TT4_4",
]
UNTOLD = [
    "triton_tem_fused_addmm_native_layer_norm_3",
    "matmul_kernel_0d1d2d3de4de5de",
    "_attn_fwd",
    "my_fused_attention_softmax_layer_norm",
    "grouped_gemm_with_batchnorm_free_epilogue_kernel",
    "causal_conv1d_fwd_kernel",
    "kernel_1688_of_s16881_things",
    "what_is_this",
    "",
]


@pytest.mark.parametrize("name", [name for names in YES.values() for name in names])
def test_these_use_matrix_units(name: str) -> None:
    assert family(name).verdict == "yes", family(name)


@pytest.mark.parametrize("name", NO)
def test_these_do_not(name: str) -> None:
    assert family(name).verdict == "no", family(name)


@pytest.mark.parametrize("name", UNTOLD)
def test_of_these_nothing_is_claimed(name: str) -> None:
    assert family(name).verdict == "unclassified", family(name)


def test_shares_are_of_kernel_time_and_the_unknown_are_named() -> None:
    found = matrix_units(
        [
            kernel(0, 30, "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN"),
            kernel(0, 20, "nvjet_hsh_64x64_64x4_2x1_v_bz_coopA_TNN", on=(0, 8)),
            kernel(30, 60, "void at::native::vectorized_elementwise_kernel<4>"),
            *(kernel(60 + n, 61 + n, f"mystery_{n:02}") for n in range(12)),
            kernel(80, 88, "mystery_00"),
        ]
    )
    assert found is not None
    assert found.kernel_seconds * 1e6 == pytest.approx(100)
    assert [found.yes, found.no, found.unclassified] == pytest.approx([0.5, 0.3, 0.2])
    assert [(f.name, f.kernels) for f in found.families][:2] == [("nvjet", 2), ("elementwise", 1)]
    assert sum(f.share for f in found.families) == pytest.approx(1)


def test_kernels_that_took_no_time_give_no_share() -> None:
    assert matrix_units([]) is None
    assert matrix_units([kernel(5, 5)]) is None


def test_a_strangers_endless_name_is_told_in_no_time() -> None:
    assert family("volta_" * 500_000).verdict == "unclassified"
    assert family("cijk_" * 500_000 + "_MI16x").verdict == "no"
