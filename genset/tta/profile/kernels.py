"""Families of kernels, told from their names: do they use matrix units, do they communicate?

NVIDIA calls the units Tensor Cores; AMD's are behind its MFMA and WMMA instructions. The first
family whose pattern is found in a name is the kernel's. What is in no family is unclassified: a
name that says nothing is not counted on either side. PyTorch's own list ends before Hopper
(kineto#1041); NVIDIA's naming is that of cuBLAS, cuDNN and CUTLASS as profilers print it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from genset.tta.traces.trace import Kernel

Verdict = Literal["yes", "no", "unclassified"]


@dataclass(frozen=True, slots=True)
class Family:
    """Kernels that are named alike.

    Attributes:
        generation: of the device, "Ampere", "Turing, Ampere"; "" of kernels that run on any.
        verdict: whether they use matrix units.
    """

    name: str
    generation: str
    verdict: Verdict


UNCLASSIFIED = Family("unclassified", "", "unclassified")
COMMUNICATION = Family("communication", "", "no")

# Of each family: name, generation, verdict, pattern; matched without regard to case.
_TABLE: tuple[tuple[str, str, Verdict, str], ...] = (
    # First what does not compute with matrix units though other words of its name sound like it.
    ("Inductor's pointwise", "", "no", r"^triton_(poi|red|per|for|mix|split_scan)_"),
    ("Inductor's template", "", "unclassified", r"^triton_tem_"),
    ("split-K sum, epilogue", "", "no", r"splitk_?reduce|epilogue::impl::globalkernel"),
    (
        "attention's sums and casts",
        "",
        "no",
        r"flash_bwd_(dot_do_o|convert|clear)|flash\w*_?combine|compute_dot_do_o|"
        r"flashattn\w*(pre|post)process|convert_dq_to",
    ),
    (
        "cuDNN's layouts and offsets",
        "",
        "no",
        r"cudnn::ops::|nchwtonhwc|nhwctonchw|compute\w*offsetskernel|generatewinogradtiles|"
        r"im2col|col2im",
    ),
    ("CUTLASS simt, xmma ffma", "", "no", r"(?<![a-z])(ffma|simt)(?![a-z])|(class|mma)simt"),
    # Matrix units. The numbers are the sizes of the instruction: s884 is 8 by 8 by 4.
    ("h884, s884", "Volta", "yes", r"(?<![a-z\d])[hs]884(?!\d)"),
    ("h1688, s1688", "Turing, Ampere", "yes", r"(?<![a-z\d])[hsc]1688(?!\d)"),
    ("i8816, i8832", "Turing, Ampere", "yes", r"(?<![a-z\d])i88(16|32)(?!\d)"),
    ("h16816, s16816", "Ampere", "yes", r"(?<![a-z\d])[hs]16816(?!\d)|m16n8k\d"),
    ("i16832", "Ampere", "yes", r"(?<![a-z\d])[ibs]16(832|864|8256)(?!\d)"),
    ("d884, z884 (float64)", "Ampere", "yes", r"(?<![a-z\d])[dz]884(?!\d)"),
    ("hmma, imma, dmma", "Volta and later", "yes", r"(?<![a-z])[hibdq]mma(?![a-z])"),
    ("nvjet", "Hopper and later", "yes", r"nvjet_"),
    ("tcgen05, umma", "Blackwell", "yes", r"tcgen05|umma|cute::sm1[02]\d_(mma|tmem)"),
    ("sm100 xmma, tensorop", "Blackwell", "yes", r"sm1[02]\d_(xmma|\w*tensorop)"),
    ("gmma, wgmma", "Hopper", "yes", r"gmma|cute::sm90_\d+x\d+x"),
    ("sm90 xmma, tensorop", "Hopper", "yes", r"sm90_(xmma|\w*tensorop)"),
    ("deep_gemm", "Hopper and later", "yes", r"deep_gemm::\w*gemm"),
    ("xmma tf32", "Ampere", "yes", r"xmma.*tf32f32"),
    (
        "xmma, float16 and integers",
        "Volta to Ada",
        "yes",
        r"xmma.*tensor\d+x\d+x\d+|xmma_\w*_(b?f16|[iu]8|e[45]m[23])",
    ),
    # Float32 throughout: NVIDIA's names of such end in "_ffma", which profilers may have cut off.
    ("xmma float32", "", "no", r"xmma_\w*f32f32_f32f32_f32"),
    ("tensorop", "Volta and later", "yes", r"tensorop|cute::sm[78]\d_\d+x\d+x"),
    ("cuDNN sdpa", "Ampere and later", "yes", r"cudnn_generated_\w*sdpa_sm\d+_flash"),
    (
        "FlashAttention",
        "Ampere and later",
        "yes",
        r"flash_(fwd|bwd)\w*kernel|flash::(enable_sm|flashattn)|fmha_v2_",
    ),
    (
        "memory-efficient attention",
        "Volta and later",
        "yes",
        r"fmha_cutlass[fb]_b?f16_\w*_sm([789]\d|1\d\d)|fmha_cutlass[fb]_f32_\w*_sm([89]\d|1\d\d)",
    ),
    ("memory-efficient attention, float32", "", "no", r"fmha_cutlass[fb]_"),
    ("marlin, tinygemm", "Ampere and later", "yes", r"marlin\w*::|tinygemm_m16n8"),
    # AMD: Tensile, which makes rocBLAS's and hipBLASLt's, names the instruction: MI16x16x1.
    ("Tensile with MFMA", "CDNA", "yes", r"cijk_.*_mi\d+x\d+x\d+|mfma"),
    ("Tensile on vector units", "", "no", r"cijk_"),
    ("Composable Kernel, MIOpen", "CDNA", "yes", r"xdl|igemm_\w+_gtcx"),
    ("wmma", "Volta and later", "yes", r"(?<![a-z])wmma(?![a-z])"),
    # Known not to.
    (
        "sgemm, dgemm, hgemm",
        "",
        "no",
        r"(?<![a-z])(sgemm|[dcz]gemm|gcgemm|gemmsn|gemmk1)|"
        r"(maxwell|pascal|volta|turing|ampere)_(\w+_)?[hi]gemm",
    ),
    ("matrix times vector, dot", "", "no", r"gemv|(?<![a-z])dot_kernel|reduce_1block"),
    ("scudnn", "", "no", r"[shi]cudnn"),
    (
        "cuDNN's other convolutions",
        "",
        "no",
        r"(?<![a-z])(dgrad|wgrad_alg\d)_engine|fft[12]d_|winograd|reduce_wgrad|"
        r"(conv|[dw]grad)2d_grouped_direct|convolve_common_engine|depthwise",
    ),
    ("batch norm", "", "no", r"(?<![a-z])bn_(fw|bw)_|cudnn::batchnorm"),
    ("elementwise", "", "no", r"at::native::.*(elementwise_kernel|catarraybatched)"),
    ("optimizer", "", "no", r"multi_tensor_apply|(?<![a-z])(adam|sgd|lamb)functor"),
    ("PyTorch's own", "", "no", r"^(void )?at::native::"),
    # A product of matrices by another library may use them, whatever else its name says.
    ("other products", "", "unclassified", r"(?<!fb)gemm|matmul|attention|attn|(?<!de)conv(?!ert)"),
    ("other elementwise", "", "no", r"elementwise_kernel"),
    ("other normalizations", "", "no", r"(batch|layer|group|rms|instance)_?norm"),
    ("softmax, losses", "", "no", r"softmax_(warp_)?(for|back)ward|nll_loss"),
    ("layer norm's gradients", "", "no", r"gammabeta|rowwisemoments"),
    ("pooling", "", "no", r"pool(ing)?_(fw|bw|forward|backward)|average_pool"),
    ("sorting, scans", "", "no", r"(?<![a-z])(cub|thrust|at_cuda_detail)::"),
    (
        "embeddings",
        "",
        "no",
        r"split_embedding|permute_pooled_embs|embedding_(bag|backward)|recat_copy|"
        r"fbgemm_gpu::_?(permute|offsets)|bounds_check_indices|linearize_index",
    ),
)
_FAMILIES = tuple(
    (Family(name, generation, verdict), re.compile(pattern, re.IGNORECASE))
    for name, generation, verdict, pattern in _TABLE
)

# NCCL's and RCCL's kernels, and the all-reduces that frameworks write themselves.
_COMMUNICATES = re.compile(
    r"^(void )?(nccl|rccl|msccl|nvshmem)|nccl(dev)?kernel|cross_device_reduce|deep_ep::|"
    r"(one|two)_?shot_all_?reduce|multimem_all_?(reduce|gather)",
    re.IGNORECASE,
)
# A name from a stranger may be long; what tells its family stands in its beginning.
_LONGEST = 2000
_NAMES = 50_000


def communicates(kernel: Kernel) -> bool:
    """Whether it moves data between devices: the trace says so, or its name does."""
    return kernel.collective is not None or is_communication(kernel.name)


@lru_cache(_NAMES)
def is_communication(name: str) -> bool:
    """Whether a kernel of this name moves data between devices, for NCCL or another library."""
    return bool(_COMMUNICATES.search(name[:_LONGEST]))


@lru_cache(_NAMES)
def family(name: str) -> Family:
    """The family of the kernel, `UNCLASSIFIED` if its name is in none."""
    if is_communication(name):
        return COMMUNICATION
    text = name[:_LONGEST]
    return next((known for known, pattern in _FAMILIES if pattern.search(text)), UNCLASSIFIED)
