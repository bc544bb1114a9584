"""Makes Moonshine base quick. Run by `hermes-gadget speech install`; needs numpy, onnx and onnxruntime, at set-up only.

usage: requantise.py PACKAGES[:PACKAGES...] SOURCE TARGET

The shipped graphs hold their weights as bytes and turn them into floats again at every decoder step: cast, scale, shift,
transpose, 80 % of the time. Here that arithmetic is done once, and the float weights are quantised the way onnxruntime has
fast kernels for (dynamic, unsigned, per channel, on the matrix products). Both branches of the decoder's If carry the same
weights; they are kept once. Five times the speed, the same words wrong.
"""
import hashlib
import os
import sys
import tempfile

sys.path[:0] = sys.argv[1].split(":")

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime as ort  # noqa: E402
from onnx import numpy_helper  # noqa: E402
from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: E402

# Constants of fewer elements than this are shapes and axes, not weights.
WEIGHT = 64
# Weights of fewer bytes than this are not worth sharing.
SHARED = 1024
GRAPHS = {"encoder_model": "encoder", "decoder_model_merged": "decoder"}


def branches(node):
    return [attribute.g for attribute in node.attribute if attribute.HasField("g")]


def attribute(node, name):
    return next((a for a in node.attribute if a.name == name), None)


def computed(node, inputs):
    """The value of a node whose inputs are all known, or None when it is of no kind that touches weights."""
    if node.op_type == "Cast":
        to = attribute(node, "to")
        return inputs[0].astype(onnx.helper.tensor_dtype_to_np_dtype(to.i))
    if node.op_type == "Mul":
        return inputs[0] * inputs[1]
    if node.op_type == "Add":
        return inputs[0] + inputs[1]
    if node.op_type == "Sub":
        return inputs[0] - inputs[1]
    if node.op_type == "Transpose":
        order = attribute(node, "perm")
        return inputs[0].transpose(list(order.ints) if order is not None else None)
    return None


def fold(graph, outer):
    """Replaces nodes that compute on weights alone by their results. `outer`: what enclosing graphs know."""
    known = dict(outer)
    known.update((tensor.name, numpy_helper.to_array(tensor)) for tensor in graph.initializer)
    remaining = []
    for node in graph.node:
        if node.op_type == "Constant" and attribute(node, "value") is not None:
            known[node.output[0]] = numpy_helper.to_array(attribute(node, "value").t)
        inputs = [known.get(name) for name in node.input]
        value = None
        if inputs and all(x is not None for x in inputs) and max(x.size for x in inputs) >= WEIGHT:
            value = computed(node, inputs)
        if value is None:
            remaining.append(node)
            for branch in branches(node):
                branch.name = branch.name or "branch"  # the checker wants a name
                fold(branch, known)
        else:
            value = np.ascontiguousarray(value)
            known[node.output[0]] = value
            graph.initializer.append(numpy_helper.from_array(value, node.output[0]))
    del graph.node[:]
    graph.node.extend(remaining)


def names_used(graph, into):
    for node in graph.node:
        into.update(node.input)
        for branch in branches(node):
            names_used(branch, into)
    into.update(output.name for output in graph.output)
    return into


def prune(graph):
    """Drops the weights that nothing reads any more."""
    used = names_used(graph, set())
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for node in graph.node:
        for branch in branches(node):
            prune(branch)


def share(model):
    """Moves large weights of the branches of If into the main graph, equal ones once."""
    shared = {}
    for node in model.graph.node:
        for branch in branches(node):
            renamed, kept = {}, []
            for tensor in branch.initializer:
                if len(tensor.raw_data) < SHARED:
                    kept.append(tensor)
                    continue
                key = hashlib.sha256(repr((tensor.data_type, list(tensor.dims))).encode() + tensor.raw_data).digest()
                if key not in shared:
                    copy = onnx.TensorProto()
                    copy.CopyFrom(tensor)
                    copy.name = f"shared_{len(shared)}"
                    shared[key] = copy
                renamed[tensor.name] = shared[key].name
            del branch.initializer[:]
            branch.initializer.extend(kept)
            for inner in branch.node:
                for position, name in enumerate(inner.input):
                    inner.input[position] = renamed.get(name, name)
    model.graph.initializer.extend(shared.values())


def as_onnx(path, scratch):
    """onnxruntime's own format, read and written again as ONNX, unoptimised."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.optimized_model_filepath = scratch
    options.add_session_config_entry("session.save_model_format", "ONNX")
    options.log_severity_level = 4
    ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    model = onnx.load(scratch)
    kept = [opset for opset in model.opset_import if opset.domain in ("", "com.microsoft")]
    del model.opset_import[:]
    model.opset_import.extend(kept)
    return model


def main(source, target):
    os.makedirs(target, exist_ok=True)
    for shipped, name in GRAPHS.items():
        with tempfile.TemporaryDirectory(dir=target) as scratch:
            model = as_onnx(f"{source}/{shipped}.ort", f"{scratch}/shipped.onnx")
            fold(model.graph, {})
            prune(model.graph)
            onnx.save(model, f"{scratch}/float.onnx")
            quantize_dynamic(f"{scratch}/float.onnx", f"{scratch}/bytes.onnx", weight_type=QuantType.QUInt8,
                             per_channel=True, op_types_to_quantize=["MatMul"],
                             extra_options={"EnableSubgraph": True, "MatMulConstBOnly": True})
            model = onnx.load(f"{scratch}/bytes.onnx")
            share(model)
            onnx.save(model, f"{target}/{name}.onnx")
        # Whether it runs at all is known here, not when somebody speaks.
        ort.InferenceSession(f"{target}/{name}.onnx", providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    main(sys.argv[2], sys.argv[3])
