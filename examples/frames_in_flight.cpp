/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A film, several frames at a time: one thread draws and submits, another one receives and writes.
 *
 *   c++ -std=c++17 -pthread -o frames_in_flight frames_in_flight.cpp $(pkg-config --cflags --libs wavelane)
 *   ./frames_in_flight FOLDER [COUNT]           writes FOLDER/0000.j2c, FOLDER/0001.j2c, ...
 *
 * Frames are HT codestreams at 2 bits a pixel. They come out in the order in which they went in.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <wavelane_simple.h>

namespace
{

constexpr unsigned width = 640, height = 360, channels = 3;

/* Objects of the library, released by their own functions. */
template <typename T, void (*release)(T *)> struct Releaser {
    void operator()(T *object) const { release(object); }
};
using Context = std::unique_ptr<wvl_context, Releaser<wvl_context, wvl_context_release>>;
using Params = std::unique_ptr<wvl_params, Releaser<wvl_params, wvl_params_release>>;
using Plan = std::unique_ptr<wvl_plan, Releaser<wvl_plan, wvl_plan_release>>;
using Encoder = std::unique_ptr<wvl_encoder, Releaser<wvl_encoder, wvl_encoder_release>>;
using Finished = std::unique_ptr<wvl_encoded_picture, Releaser<wvl_encoded_picture, wvl_encoded_picture_release>>;

void require(wvl_status status, const char *text)
{
    if (status != WVL_OK) {
        throw std::runtime_error(std::string(wvl_status_text(status)) + ": " + text);
    }
}

Plan make_plan(wvl_context *context)
{
    wvl_params *params = nullptr;
    require(wvl_params_create(context, &params), "params");
    Params owner(params);
    require(wvl_params_parse(params, "style=HT, reversible=no, bpp=2"), wvl_params_error(params));
    wvl_component_format components[channels] = {{8, 0, 1, 1}, {8, 0, 1, 1}, {8, 0, 1, 1}};
    wvl_image_format format = {};
    format.struct_size = sizeof format;
    format.x1 = width;
    format.y1 = height;
    format.component_count = channels;
    format.components = components;
    wvl_plan *plan = nullptr;
    require(wvl_plan_create(context, params, &format, nullptr, &plan), wvl_context_error(context));
    return Plan(plan);
}

/* Pixels of one frame. The encoder borrows them until it calls release. */
struct Frame {
    std::vector<std::uint8_t> pixels;
};

void release_frame(void *frame) { delete static_cast<Frame *>(frame); }

Frame *draw(unsigned number)
{
    auto *frame = new Frame{std::vector<std::uint8_t>(width * height * channels)};
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            std::uint8_t *pixel = &frame->pixels[(y * width + x) * channels];
            pixel[0] = static_cast<std::uint8_t>(x + 4 * number);
            pixel[1] = static_cast<std::uint8_t>(y + 2 * number);
            pixel[2] = static_cast<std::uint8_t>((x * y >> 6) + number);
        }
    }
    return frame;
}

/* Submits one frame; while every place is taken it waits for the receiver. */
void submit(wvl_encoder *encoder, unsigned number)
{
    Frame *frame = draw(number);
    wvl_plane planes[channels] = {};
    for (unsigned c = 0; c < channels; c++) {
        planes[c].data = frame->pixels.data();
        planes[c].pitch_bytes = width * channels;
        planes[c].sample_stride = channels;
        planes[c].first_sample = c;
        planes[c].container = WVL_SAMPLE_8;
    }
    wvl_image image = {};
    image.struct_size = sizeof image;
    image.planes = planes;
    image.plane_count = channels;
    image.release = release_frame;
    image.release_user = frame;
    wvl_status status = wvl_encoder_submit(encoder, &image, nullptr, nullptr);
    while (status == WVL_AGAIN) {
        std::this_thread::yield();
        status = wvl_encoder_submit(encoder, &image, nullptr, nullptr);
    }
    if (status != WVL_OK) {
        release_frame(frame); /* the encoder did not take it */
        require(status, "submit");
    }
}

void write(const std::string &folder, unsigned number, const wvl_encoded_picture *picture)
{
    char name[32];
    std::size_t bytes = 0;
    require(wvl_encoded_picture_status(picture), wvl_encoded_picture_error(picture));
    const void *data = wvl_encoded_picture_data(picture, &bytes);
    std::snprintf(name, sizeof name, "/%04u.j2c", number);
    std::ofstream file(folder + name, std::ios::binary);
    if (!file.write(static_cast<const char *>(data), static_cast<std::streamsize>(bytes)).flush()) {
        throw std::runtime_error(folder + name + ": cannot be written");
    }
}

/* Writes what comes out. After a failure the rest is cancelled and dropped, and the failure is thrown at the end. */
void receive_all(wvl_encoder *encoder, const std::string &folder)
{
    std::exception_ptr failure;
    wvl_encoded_picture *picture = nullptr;
    for (unsigned number = 0; wvl_encoder_receive(encoder, UINT32_MAX, &picture) == WVL_OK; number++) {
        Finished owner(picture);
        try {
            if (!failure) {
                write(folder, number, picture);
            }
        } catch (...) {
            failure = std::current_exception();
            wvl_encoder_cancel(encoder);
        }
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void submit_all(wvl_encoder *encoder, unsigned count)
{
    try {
        for (unsigned number = 0; number < count; number++) {
            submit(encoder, number);
        }
    } catch (...) {
        wvl_encoder_end(encoder); /* else the receiver waits for more */
        throw;
    }
    wvl_encoder_end(encoder);
}

void run(const std::string &folder, unsigned count)
{
    wvl_context *made = nullptr;
    require(wvl_context_create(nullptr, &made), "context");
    Context context(made);
    Plan plan = make_plan(made);
    wvl_encoder *started = nullptr;
    require(wvl_encoder_create(plan.get(), 0, &started), wvl_context_error(made));
    Encoder encoder(started);
    auto receiver = std::async(std::launch::async, receive_all, started, folder);
    submit_all(started, count);
    receiver.get();
    std::printf("%u frames, up to %u in flight\n", count, wvl_encoder_frames(started));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: frames_in_flight FOLDER [COUNT]\n");
        return 2;
    }
    try {
        run(argv[1], argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 24);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "frames_in_flight: %s\n", error.what());
        return 1;
    }
    return 0;
}
