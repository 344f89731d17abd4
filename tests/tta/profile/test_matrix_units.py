"""Which kernels use matrix units: names as profilers print them, by generation."""

import pytest

from genset.tta.profile.matrix_units import family, matrix_units
from tests.tta.profile.made import NCCL, kernel

YES = [
    # Volta
    "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn",
    "sm70_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage1_"
    "warpsize2x2x1_g1_tensor8x8x4_t1r1s1_execute_kernel_cudnn",
    "fmha_cutlassF_f16_aligned_64x64_rf_sm70(PyTorchMemEffAttention::AttentionKernel<>::Params)",
    # Turing
    "turing_h1688gemm_128x128_ldg8_stages_32x1_nn",
    "void cutlass::Kernel<cutlass_75_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8>"
    "(cutlass_75_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8::Params)",
    # Ampere and Ada
    "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn>",
    "cutlass_80_tensorop_d884gemm_64x64_16x4_tn_align1",
    "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_"
    "stage4_warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_kernel",
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
    "cutlass::half_t> >(Flash_fwd_params)",
    "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<>)",
    "void at::native::tinygemm_m16n8k16_chunk_kernel<at::native::ALayout_RM<(KReduction)0>>",
    # Hopper
    "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_"
    "segment_k_off_kernel__5x_cublas",
    "cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_tnn",
    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>,"
    " cutlass::gemm::collective::CollectiveMma<cutlass::MainloopSm90TmaGmmaWarpSpecialized",
    "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1",
    # Blackwell
    "nvjet_sm100_tst_64x32_64x16_2x1_2cta_v_bz_TNN",
    # AMD
    "Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32_MI16x16x1_SN_LDSB0_AFC1_AFEM1_ISA90a",
    "void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<ck::tensor_layout>>",
    "igemm_fwd_gtcx_nhwc_fp16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_ta1x8x2x1_1x4x1x64",
]
NO = [
    NCCL,
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals)",
    "volta_sgemm_128x64_nn",
    "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nt_align1>(cutlass_80_simt_sgemm)",
    "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_"
    "warpsize1x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn",
    "cudnn_infer_volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
    "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 128, true, 1>(float, float, float)",
    "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, (cudnnKernelData)2>",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>",
    "triton_poi_fused_convolution_relu_gemm_0",
    "void flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4>>",
    "fmha_cutlassF_f32_aligned_64x64_rf_sm70(PyTorchMemEffAttention::AttentionKernel<float>)",
    "Cijk_Ailk_Bljk_SB_MT64x64x8_SE_APM1_AF0EM1_AF1EM1_AMAS3_ASAE01_ASCE01_K1_LRVW4_TT4_4",
]
UNTOLD = [
    "triton_tem_fused_addmm_native_layer_norm_3",
    "my_fused_attention_softmax_layer_norm",
    "kernel_1688_of_s16881_things",
    "what_is_this",
    "",
]


@pytest.mark.parametrize(
    ("name", "verdict"),
    [(name, "yes") for name in YES]
    + [(name, "no") for name in NO]
    + [(name, "unclassified") for name in UNTOLD],
)
def test_a_kernels_name_says_whether_it_uses_matrix_units(name: str, verdict: str) -> None:
    assert family(name).verdict == verdict, family(name)


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
    assert matrix_units([kernel(5, 5)]) is None
    assert family("cijk_" * 500_000 + "_MI16x").verdict == "no"  # a stranger's, in no time
    assert found is not None
    assert found.kernel_seconds * 1e6 == pytest.approx(100)
    assert [found.yes, found.no, found.unclassified] == pytest.approx([0.5, 0.3, 0.2])
    assert [(f.name, f.kernels) for f in found.families][:2] == [("nvjet", 2), ("elementwise", 1)]
    assert sum(f.share for f in found.families) == pytest.approx(1)
