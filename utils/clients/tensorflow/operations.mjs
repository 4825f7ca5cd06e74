// Operations of TensorFlow.js on Dawn (Node.js) or wgpu (Deno), each compared with the backend for the CPU: a client for `lanewise run`.
// Prints a line for each; the exit code is 1 where one is wrong, 3 where there is no device.
if (!globalThis.navigator?.gpu) { // Node.js
  const {create, globals} = await import('webgpu');
  Object.assign(globalThis, globals);
  Object.defineProperty(globalThis, 'navigator', {value: {gpu: create([])}, configurable: true});
}
if (!await navigator.gpu.requestAdapter({powerPreference: 'high-performance'})) {
  console.error('operations.mjs: there is no device');
  process.exit(3);
}
const tf = (await import('@tensorflow/tfjs-core')).default ?? await import('@tensorflow/tfjs-core');
await import('@tensorflow/tfjs-backend-webgpu');
await import('@tensorflow/tfjs-backend-cpu');

// Values that a seed decides, between -1 and 1.
function values(seed, ...shape) {
  const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
  let state = seed >>> 0 || 1;
  for (let n = 0; n < data.length; ++n) {
    state = Math.imul(state, 1664525) + 1013904223 >>> 0;
    data[n] = state / 2 ** 31 - 1;
  }
  return {data, shape};
}

const image = values(1, 1, 56, 56, 32), matrix = values(2, 192, 320), other = values(3, 320, 160), rows = values(4, 64, 1000);
const operations = {
  'matmul': {inputs: [matrix, other], of: (a, b) => tf.matMul(a, b)},
  'matmul-transposed': {inputs: [matrix, values(5, 64, 320)], of: (a, b) => tf.matMul(a, b, false, true)},
  'matmul-batched': {inputs: [values(6, 6, 48, 64), values(7, 6, 64, 80)], of: (a, b) => tf.matMul(a, b)},
  'matmul-vector': {inputs: [values(8, 1, 2048), values(9, 2048, 256)], of: (a, b) => tf.matMul(a, b)},
  'conv2d-3x3': {inputs: [image, values(10, 3, 3, 32, 24)], of: (x, f) => tf.conv2d(x, f, 1, 'same')},
  'conv2d-1x1': {inputs: [image, values(11, 1, 1, 32, 48)], of: (x, f) => tf.conv2d(x, f, 1, 'same')},
  'conv2d-strided': {inputs: [image, values(12, 5, 5, 32, 8)], of: (x, f) => tf.conv2d(x, f, 2, 'valid')},
  'conv2d-depthwise': {inputs: [image, values(13, 3, 3, 32, 1)], of: (x, f) => tf.depthwiseConv2d(x, f, 1, 'same')},
  'pool-max': {inputs: [image], of: x => tf.maxPool(x, 3, 2, 'same')},
  'pool-average': {inputs: [image], of: x => tf.avgPool(x, 2, 2, 'same')},
  'softmax': {inputs: [rows], of: x => tf.softmax(x)},
  'sum': {inputs: [rows], of: x => tf.sum(x, 1)},
  'max': {inputs: [rows], of: x => tf.max(x, 1)},
  'mean': {inputs: [rows], of: x => tf.mean(x, 0)},
  'argmax': {inputs: [rows], of: x => tf.argMax(x, 1)},
  'cumsum': {inputs: [rows], of: x => tf.cumsum(x, 1)},
  'topk': {inputs: [rows], of: x => tf.topk(x, 16).values},
  'transpose': {inputs: [matrix], of: x => tf.transpose(x)},
  'gather': {inputs: [rows], of: x => tf.gather(x, tf.tensor1d([3, 1, 60, 7], 'int32'), 0)},
  'resize': {inputs: [image], of: x => tf.image.resizeBilinear(x, [80, 72])},
  'pad': {inputs: [matrix], of: x => tf.pad(x, [[1, 2], [3, 4]])},
  'concat': {inputs: [matrix, values(14, 192, 40)], of: (a, b) => tf.concat([a, b], 1)},
  'elementwise': {inputs: [rows, values(15, 64, 1000)], of: (a, b) => tf.add(tf.mul(tf.sigmoid(a), b), tf.tanh(tf.relu(b)))},
  'normalization': {inputs: [image], of: x => tf.batchNorm(x, tf.mean(x, [0, 1, 2]), tf.moments(x, [0, 1, 2]).variance)},
};

async function resultOf(backend, {inputs, of}) {
  await tf.setBackend(backend);
  await tf.ready();
  const tensors = inputs.map(({data, shape}) => tf.tensor(data, shape, 'float32'));
  let result = of(...tensors);
  for (let n = 0; n < (backend === 'webgpu' ? 4 : 0); ++n) { // what is timed
    result.dispose();
    result = of(...tensors);
  }
  return {data: await result.data(), shape: result.shape};
}

let isRight = true;
for (const [name, operation] of Object.entries(operations)) {
  const expected = await resultOf('cpu', operation), got = await resultOf('webgpu', operation);
  const scale = expected.data.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-3);
  const worst = expected.data.reduce((most, value, n) => Math.max(most, Math.abs(value - got.data[n])), 0);
  const agrees = `${expected.shape}` === `${got.shape}` && worst <= 1e-4 * scale;
  console.log(`${name} ${agrees ? 'right' : 'WRONG'}`);
  if (!agrees) console.error(`${name}: differs by ${worst} of ${scale}`);
  isRight &&= agrees;
}
process.exit(isRight ? 0 : 1);
