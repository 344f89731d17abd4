"""Families of kernels, told from their names: do they use matrix units, do they communicate?

NVIDIA calls the units Tensor Cores; AMD's are behind its MFMA and WMMA instructions. The first
family whose pattern is found in a name is the kernel's. What is in no family is unclassified: a
name that says nothing is not counted on either side. PyTorch's own list ends before Hopper
(kineto#1041); NVIDIA's naming is that of cuBLAS, cuDNN and CUTLASS as profilers print it.
"""

import re
from collections.abc import Iterator
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

# Whether a family uses matrix units, of which generation it is, its name, and the pattern of its
# kernels' names, which goes on in lines that begin with "|"; matched without regard to case.
_TABLE = r"""
# First what does not compute with matrix units though other words of its name sound like it.
no   any               Inductor's pointwise  ^triton_(poi|red|per|for|mix|split_scan)_
?    any               Inductor's template  ^triton_tem_
no   any               split-K sum, epilogue  splitk_?reduce|epilogue::impl::globalkernel
no   any               attention's sums and casts  flash_bwd_(dot_do_o|convert|clear)
|flash\w*_?combine|compute_dot_do_o|flashattn\w*(pre|post)process|convert_dq_to
no   any               cuDNN's layouts and offsets  cudnn::ops::|nchwtonhwc|nhwctonchw
|compute\w*offsetskernel|generatewinogradtiles|im2col|col2im|foldednchwtonchw|nhwcaddpadding
|flip_filter|scalepackedtensor|region_transform_abc|init_device_workspace
no   any               CUTLASS simt, xmma ffma  (?<![a-z])(ffma|simt)(?![a-z])|(class|mma)simt
# Matrix units. The numbers are the sizes of the instruction: s884 is 8 by 8 by 4.
yes  Volta             h884, s884  (?<![a-z\d])[hs]884(?!\d)
yes  Turing, Ampere    h1688, s1688  (?<![a-z\d])[hsc]1688(?!\d)
yes  Turing, Ampere    i8816, i8832  (?<![a-z\d])i88(16|32)(?!\d)
yes  Ampere            h16816, s16816  (?<![a-z\d])[hs]16816(?!\d)|m16n8k\d
yes  Ampere            i16832  (?<![a-z\d])[ibs]16(832|864|8256)(?!\d)
yes  Ampere            d884, z884 (float64)  (?<![a-z\d])[dz]884(?!\d)
yes  Volta and later   hmma, imma, dmma  (?<![a-z])[hibdq]mma(?![a-z])
yes  Hopper and later  nvjet  nvjet_
yes  Blackwell         tcgen05, umma  tcgen05|umma|cute::sm1[02]\d_(mma|tmem)
yes  Blackwell         sm100 xmma, tensorop  sm1[02]\d_(xmma|\w*tensorop)
yes  Hopper            gmma, wgmma  gmma|cute::sm90_\d+x\d+x
yes  Hopper            sm90 xmma, tensorop  sm90_(xmma|\w*tensorop)
yes  Hopper and later  deep_gemm  deep_gemm::\w*gemm
yes  Ampere            xmma tf32  xmma.*tf32f32
yes  Volta to Ada      xmma, float16 and integers  xmma.*tensor\d+x\d+x\d+
|xmma_\w*_(b?f16|[iu]8|e[45]m[23])
# Float32 throughout: NVIDIA's names of such end in "_ffma", which profilers may have cut off.
no   any               xmma float32  xmma_\w*f32f32_f32f32_f32
yes  Volta and later   tensorop  tensorop|cute::sm[78]\d_\d+x\d+x
yes  Ampere and later  cuDNN sdpa  cudnn_generated_\w*sdpa_sm\d+_flash
yes  Ampere and later  FlashAttention  flash_(fwd|bwd)\w*kernel|flash::(enable_sm|flashattn)
|fmha_v2_
yes  Volta and later   memory-efficient attention  fmha_cutlass[fb]_b?f16_\w*_sm([789]\d|1\d\d)
|fmha_cutlass[fb]_f32_\w*_sm([89]\d|1\d\d)
no   any               memory-efficient attention, float32  fmha_cutlass[fb]_
yes  Ampere and later  marlin, tinygemm  marlin\w*::|tinygemm_m16n8
# AMD: Tensile, which makes rocBLAS's and hipBLASLt's, names the instruction: MI16x16x1.
yes  CDNA              Tensile with MFMA  cijk_.*_mi\d+x\d+x\d+|mfma
no   any               Tensile on vector units  cijk_
yes  CDNA              Composable Kernel, MIOpen  xdl|igemm_\w+_gtcx
yes  Volta and later   wmma  (?<![a-z])wmma(?![a-z])
# Known not to.
no   any               sgemm, dgemm, hgemm  (?<![a-z])(sgemm|[dcz]gemm|gcgemm|gemmsn|gemmk1)
|(maxwell|pascal|volta|turing|ampere)_(\w+_)?[hi]gemm
no   any               matrix times vector, dot  gemv|(?<![a-z])dot_kernel|reduce_1block
no   any               scudnn  [shi]cudnn
no   any               cuDNN's other convolutions  (?<![a-z])[dw]grad(_alg\d)?_engine|fft[12]d_
|winograd|reduce_wgrad|(conv|[dw]grad)2d_grouped_direct|convolve_common_engine|depthwise
no   any               batch norm  (?<![a-z])bn_(fw|bw)_|cudnn::batchnorm
no   any               elementwise  at::native::.*(elementwise_kernel|catarraybatched)
no   any               optimizer  multi_tensor_apply|(?<![a-z])(adam|sgd|lamb)functor
no   any               PyTorch's own  ^(void )?at::native::
# A product of matrices by another library may use them, whatever else its name has.
?    any               other products  (?<!fb)gemm|matmul|attention|attn|(?<!de)conv(?!ert)
no   any               other elementwise  elementwise_kernel
no   any               other normalizations  (batch|layer|group|rms|instance)_?norm
no   any               softmax, losses  softmax_(warp_)?(for|back)ward|nll_loss
no   any               layer norm's gradients  gammabeta|rowwisemoments
no   any               pooling  pool(ing)?_(fw|bw|forward|backward)|average_pool
no   any               sorting, scans  (?<![a-z])(cub|thrust|at_cuda_detail)::
no   any               embeddings  split_embedding|permute_pooled_embs|embedding_(bag|backward)
|recat_copy|fbgemm_gpu::_?(permute|offsets)|bounds_check_indices|linearize_index
"""
_VERDICTS: dict[str, Verdict] = {"yes": "yes", "no": "no", "?": "unclassified"}


def _read_table() -> Iterator[tuple[Family, re.Pattern[str]]]:
    lines = re.sub(r"\n\|", "|", re.sub(r"^#.*\n", "", _TABLE.lstrip(), flags=re.M)).splitlines()
    for line in lines:
        verdict, generation, name, pattern = re.split(r"\s{2,}", line, maxsplit=3)
        family = Family(name, "" if generation == "any" else generation, _VERDICTS[verdict])
        yield family, re.compile(pattern, re.IGNORECASE)


_FAMILIES = tuple(_read_table())

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
    return bool(kernel.collective) or family(kernel.name) is COMMUNICATION


@lru_cache(_NAMES)
def family(name: str) -> Family:
    """The family of the kernel, `UNCLASSIFIED` if its name is in none."""
    text = name[:_LONGEST]
    if _COMMUNICATES.search(text):
        return COMMUNICATION
    return next((known for known, pattern in _FAMILIES if pattern.search(text)), UNCLASSIFIED)
