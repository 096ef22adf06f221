// The meeting point with a program's own WebGPU code; the only public header that sees webgpu.h.
//
// Of the program's device, cumulo uses what it was given and replaces nothing: the callbacks for
// errors and for the loss of the device stay the program's. Errors of cumulo's own WebGPU calls are
// caught by error scopes, which it opens inside each of its functions and closes before the
// function returns, and come back as that function's Error. So the program's callback, and a scope
// that the program has open, see the program's own errors and no others. wgpu-native has one stack
// of scopes a device, not one a thread: while a function of cumulo runs, no other thread should
// call into the same device, or its error may be taken for ours.
#pragma once

#include <webgpu/webgpu.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "cumulo/allocate.hpp"
#include "cumulo/device.hpp"
#include "cumulo/expand.hpp"
#include "cumulo/indirect.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/reduce.hpp"
#include "cumulo/scan.hpp"
#include "cumulo/selection.hpp"

namespace cumulo {

// Null on the CPU backend. The handles stay owned by cumulo.
WGPUDevice native_device(const Device& device);
WGPUQueue native_queue(const Device& device);
WGPUBuffer native_buffer(const Buffer& buffer);

// What to ask for in a program's own device request, beside its own wishes.
struct Requirements {
  // All that cumulo can use and the adapter has; none of them is needed for a right result.
  std::vector<WGPUFeatureName> features;
  // The adapter's values of the limits that cumulo looks at; the others are undefined, which asks
  // for WebGPU's defaults. Smaller limits serve as well: plans are made for what the device has.
  WGPULimits limits;
};

// unsupported: the adapter has less than cumulo needs; the sentence names the limit.
Result<Requirements> requirements(WGPUAdapter adapter);

// The stricter of two requests, limit by limit.
WGPULimits merged(const WGPULimits& a, const WGPULimits& b);

// A Device over the program's own. References to device and queue are held until the Device goes;
// the program may release its own. queue null: the device's queue. adapter, the one that the device
// came from, is only looked at: it tells the name, the kind and whether workgroups make progress;
// null: none of that is known, and no scan will wait for another workgroup.
// What waits on the Device (read, wait, finish) polls it, which may call callbacks of the program.
// Where the device has subgroups, runs one tiny kernel and waits for it: their width is found by
// trying. Buffers and prepared scans must not outlive the Device.
// Errors: bad_argument (device null), unsupported (a limit is too small), device_lost, validation.
Result<Device> adopt(WGPUDevice device, WGPUQueue queue = nullptr, WGPUAdapter adapter = nullptr);

// A place in a WebGPU buffer; offset in bytes, a multiple of 4.
struct BufferRange {
  WGPUBuffer buffer = nullptr;
  std::uint64_t offset = 0;
  bool operator==(const BufferRange&) const = default;
};

// Bytes of scratch that any binding of this scan needs, wherever it lies; 0 on the CPU backend and
// where the scan needs none. To be asked before bind().
std::uint64_t scratch_size(const PreparedScan& scan);

struct BindOptions {
  // scratch_size() bytes of a buffer with usage storage that is none of the scan's other buffers.
  // Its contents matter neither before nor after a run. Null: the scan's own.
  BufferRange scratch = {};
  // With what is counted on the device: a u32, in a buffer with usage storage.
  BufferRange count = {};
};

// A prepared scan with its buffers: ready to be recorded as often as wanted. Holds references to
// the buffers. Move-only; must not outlive the Device, but may outlive the PreparedScan.
class BoundScan {
 public:
  BoundScan(BoundScan&&) noexcept;
  BoundScan& operator=(BoundScan&&) noexcept;
  ~BoundScan();

  const Plan& plan() const;
  // Where a run leaves the total, one element: what ScanReport::total says, an f16 in the low half
  // of a word whose other half is 0. Usage: storage, copies.
  BufferRange total() const;
  // Where a run leaves its flags, a u32 of status_stalled and status_clamped (plan.hpp); null where
  // nothing can go wrong. Those of a single pass lie in its scratch: where that is the caller's,
  // they are to be read before the scratch is used again.
  BufferRange status() const;

  struct Impl;
  explicit BoundScan(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Makes all that scanning between these buffers takes: the plan for how they lie, its pipelines and
// bind groups, buffers for parameters and total, and scratch where none is given.
// Allocates; writes the parameters through the queue; neither submits nor waits.
//
// in: description().n elements, usage storage. out: result_count() elements, usage storage, and
// copy destination where the plan copies to it (n = 0 and some single passes); the same range as
// `in`, or apart from it. Offsets are multiples of the element's size.
//
// Several bindings may share scratch: a queue runs one after the other. The scratch of a single
// pass has to be zero before its first run, and again after very many. The library sees to that: it
// clears its own when needed, the caller's in front of every run.
//
// Errors: bad_argument (a buffer is null, too small, overlaps or lacks a usage), unsupported,
// out_of_memory, device_lost, validation.
Result<BoundScan> bind(PreparedScan& scan, const BufferRange& in, const BufferRange& out,
                       const BindOptions& options = {});

// Records one run. Allocates nothing, creates nothing, never submits, waits or maps. Runs follow
// each other as recorded and submitted; so the results of one can be the input of the next.
Result<void> record(BoundScan& scan, WGPUCommandEncoder encoder);
// Into an open compute pass, whose pipeline and bind group 0 it leaves changed. bad_argument where
// the plan has copies beside its dispatches (plan() shows them; dispatches_alone() tells): the
// sentence says so.
Result<void> record(BoundScan& scan, WGPUComputePassEncoder pass);

// bind() and record() in one, with offsets in elements: remembers the last few bindings, and
// allocates where it meets a new one. A scan counted on the device cannot be recorded so.
Result<void> record(PreparedScan& scan, WGPUCommandEncoder encoder, WGPUBuffer in, WGPUBuffer out,
                    std::uint64_t in_offset = 0, std::uint64_t out_offset = 0);

// What a prepared primitive other than a scan is when bound to buffers; see BoundScan.
class BoundCall {
 public:
  BoundCall(BoundCall&&) noexcept;
  BoundCall& operator=(BoundCall&&) noexcept;
  ~BoundCall();

  const Plan& plan() const;
  // As BoundScan::status(); a selection's single pass does not say that the count was clamped.
  BufferRange status() const;

  struct Impl;
  explicit BoundCall(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// As record() of a scan.
Result<void> record(BoundCall& call, WGPUCommandEncoder encoder);
Result<void> record(BoundCall& call, WGPUComputePassEncoder pass);

std::uint64_t scratch_size(const PreparedReduce& reduce);
std::uint64_t scratch_size(const PreparedSelection& selection);
std::uint64_t scratch_size(const PreparedAllocation& allocation);
std::uint64_t scratch_size(const PreparedExpansion& expansion);

// A reduction, as bind() of a scan. out: one element, the value; usage storage, and copy
// destination where n is 0 or the two lie in one buffer: the value is then copied there.
Result<BoundCall> bind(PreparedReduce& reduce, const BufferRange& in, const BufferRange& out,
                       const BindOptions& options = {});
Result<void> record(PreparedReduce& reduce, WGPUCommandEncoder encoder, WGPUBuffer in,
                    WGPUBuffer out, std::uint64_t in_offset = 0, std::uint64_t out_offset = 0);

// Selections (compact, partition, unique, runs), allocations, expansions and indirect arguments.
// Each range is in a buffer with usage storage; those that are written overlap nothing else of the
// call. A count on the device is ranges.n. scratch null: the library's own; else, for allocations
// and expansions, one with usage copy destination too where n is 0.
using SelectionRanges = SelectionPlaces<BufferRange>;
using AllocationRanges = AllocationPlaces<BufferRange>;
using ExpansionRanges = ExpansionPlaces<BufferRange>;
using ArgumentsRanges = ArgumentsPlaces<BufferRange>;

Result<BoundCall> bind(PreparedSelection& selection, const SelectionRanges& ranges,
                       const BufferRange& scratch = {});
Result<BoundCall> bind(PreparedAllocation& allocation, const AllocationRanges& ranges,
                       const BufferRange& scratch = {});
Result<BoundCall> bind(PreparedExpansion& expansion, const ExpansionRanges& ranges,
                       const BufferRange& scratch = {});
Result<BoundCall> bind(PreparedArguments& arguments, const ArgumentsRanges& ranges);

}  // namespace cumulo
