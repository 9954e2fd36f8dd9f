/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "picture.h"

typedef enum fuzz_outcome {
    FUZZ_PASSED,
    FUZZ_REFUSED, /* by a rule that the generator does not foresee: refusal.c lists them */
    FUZZ_FAILED
} fuzz_outcome;

/* What was found out about a case that passed. */
enum {
    FUZZ_WAS_LOSSLESS = 1, /* decoded exactly */
    FUZZ_WAS_LOSSY = 2,
    FUZZ_WAS_DECODED = 4,         /* by OpenJPEG */
    FUZZ_WAS_CONFIRMED = 8,       /* by a second decoder */
    FUZZ_WAS_EXCUSED = 16,        /* a decoder was not asked, or its dissent is a known fault */
    FUZZ_WAS_ILLEGAL = 32,        /* and was refused */
    FUZZ_WAS_DISPUTED = 128,      /* by a second decoder, which the original refutes */
    FUZZ_WAS_MATCHED = 256,       /* by a second decoder in PSNR, but not within 1 */
    FUZZ_WAS_HT = 512,            /* HT blocks, which OpenJPH was asked about */
    FUZZ_WAS_HT_CONFIRMED = 1024, /* by OpenJPH: exactly, or within 1 of OpenJPEG */
    FUZZ_WAS_HT_MATCHED = 4096,   /* by OpenJPH in PSNR, but not within 1 */
    FUZZ_WAS_HT_DECLINED = 2048,  /* OpenJPH does not take the structure */
    FUZZ_WAS_OVERTOLD = 64,       /* a PSNR that was estimated lies more than 0.3 dB above what was found */
    FUZZ_WAS_ESTIMATED = 8192,    /* a PSNR told was estimated, not measured */
    FUZZ_WAS_SLOW = 16384,        /* a decoder took too long and was not waited for */
    FUZZ_WAS_ON_DEVICE = 32768,   /* no wave was transformed on the CPU, */
    FUZZ_WAS_BLOCKS = 65536,      /* its blocks were coded on the device too, */
    FUZZ_WAS_PACKETS = 131072     /* or its packets too */
};

typedef struct fuzz_verdict {
    fuzz_outcome outcome;
    uint32_t found; /* FUZZ_WAS_ */
    char check[24]; /* which check failed, or which decoder's fault excused it */
    char text[600];
    double psnr_margin; /* lossy: measured less estimate, dB */
    uint64_t excuses;   /* bits 1 << n: fault n of fuzz_faults() excused a decoder */
    uint32_t refusal;   /* 1 + number of the reason for which it was refused; 0: none */
    double drift;       /* sum of (told - found) of its estimates, as fuzz_estimate_counts() says */
    uint32_t drift_count;
    double measured_drift; /* the same of its measured PSNRs, as fuzz_estimate_counts_measured() says */
    uint32_t measured_count;
    char preset[32]; /* with a picture that suits it; "": none */
} fuzz_verdict;

typedef struct fuzz_judge {
    fuzz_folder folder;
    int second;        /* ask a second decoder too */
    uint32_t patience; /* seconds that a foreign decoder may take */
    const char *write; /* a file to write what the encoder made of a case to; NULL: none */
} fuzz_judge;

/* Never stops the program, unless the library does. */
void fuzz_judge_case(fuzz_judge *judge, const fuzz_case *c, fuzz_verdict *v);
