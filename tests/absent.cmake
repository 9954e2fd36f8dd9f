# SPDX-License-Identifier: BSD-2-Clause
# What a library, a program or a processor that is not here would have run. The lists name every suite of CMakeLists.txt that stands in a condition.
if(NOT WVL_FUZZ)
    if(NOT OPENJPEG_FOUND)
        set(reason "no OpenJPEG (libopenjp2)")
    elseif(NOT WVL_BUILD_TOOLS)
        set(reason "built without the tools")
    elseif(NOT Python3_FOUND)
        set(reason "no Python 3.9")
    else()
        set(reason "")
    endif()
    wvl_register_absent("${reason}" unit.geom unit.plan prop.tag_tree prop.packets golden.digest golden.depth decode.torture decode.options
        decode.rate decode.weights decode.part1 decode.color decode.presets decode.profiles decode.overrides decode.regions decode.ht device.digest_soft device.torture_soft
        device.overrides_soft device.part1_soft device.regions_soft device.color_soft device.profiles_soft device.ht_soft fuzz.targets fuzz.generator fuzz.configurations fuzz.finished_soft fuzz.rows
        conformance.compliance conformance.compliance_current decode.ht_walk decode.ranges fuzz.mutated_inputs decode.long_parts)
    if(NOT WVL_SANITIZE)
        wvl_register_absent("${reason}" conformance.matrix)
        wvl_register_absent("no Python 3.9, or built without the tools" unit.sequence_machine)
    endif()
    wvl_register_absent("built without the tools" unit.inputs unit.interrupt unit.cli_files unit.command
        unit.effects unit.rows unit.rows_push unit.early)
    wvl_register_absent("no Python 3.9, or built without the tools" unit.plot)
    wvl_register_absent("no libjpeg, or built without the tools" unit.jpeg)
    wvl_register_absent("no libpng, or built without the tools" unit.imageio_libs unit.imageio_limits unit.picture_rows unit.tiff_damage unit.by_rows unit.metadata_table unit.legal_metadata)
    wvl_register_absent("no OpenJPEG or Little CMS" unit.color_icc)
    wvl_register_absent("no jpylyzer" decode.archive)
    wvl_register_absent("Python package: ${python_reason}" unit.python device.python_soft)
    wvl_register_absent("no AVX2 kernels in this build" twin.front_avx2)
    wvl_register_absent("no nvcc, or device code left out" device.checkers house.image)
    wvl_register_absent("built without NVTX ranges" device.ranges)
    wvl_register_absent("built without MPI" unit.mpi unit.mpi_hosts)
    wvl_register_absent("built without the tools" unit.imageio unit.dpx unit.metadata unit.floats unit.sequence unit.lease unit.channels unit.cli unit.verify unit.many_files unit.sequence_command unit.sequence_files unit.command_memory unit.guard unit.turns unit.kept unit.words unit.kept_memory fault.alloc device.conductor device.coded device.faults device.devices device.shares device.memory device.strips device.takeover device.way device.frames device.frames_soft device.frames_ht_soft device.frames_part1_soft device.frames_waves_soft device.frame_values device.frame_values_soft device.pictures device.cinema device.flight device.folder device.folder_soft device.real device.example_soft device.command fuzz.imageio house.same_bytes unit.cli_memory unit.completion_zsh twin.cuda_packets)
endif()
